-- Gives back the lock of a run whose process is gone.
-- Row: 1.
SELECT CASE WHEN pg_advisory_unlock(?) THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
