-- What time is it, by the ledger's own clock, in microseconds?
-- Row: microseconds.
SELECT CAST(unixepoch('subsec') * 1000000 AS INTEGER)
