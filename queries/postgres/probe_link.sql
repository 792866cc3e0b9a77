-- How fast does a value of known size come over the link?
-- Wants no index: no table is read. The value is one letter over and over: links are not compressed by the driver, and one that
-- something else compresses looks as fast as it is for text.
-- Row: the value.
SELECT repeat('x', CAST(/*:bytes*/ AS integer))
