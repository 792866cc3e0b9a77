-- How fast does a value of known size come over the link?
-- Wants no index: no table is read. There is no link, and so nobody asks.
-- Row: the value.
SELECT hex(zeroblob(/*:bytes*/ / 2))
