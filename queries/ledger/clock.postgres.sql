-- What time is it, by the ledger's own clock, in microseconds?
-- Row: microseconds.
SELECT CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000000 AS BIGINT)
