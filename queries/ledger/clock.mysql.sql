-- What time is it, by the ledger's own clock, in microseconds?
-- Row: microseconds.
SELECT CAST(UNIX_TIMESTAMP(SYSDATE(6)) * 1000000 AS SIGNED)
