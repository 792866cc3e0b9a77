-- Takes the lock that tells that a run's process lives; it goes with the session.
-- Row: 1 where it was free.
SELECT CASE WHEN pg_try_advisory_lock(?) THEN CAST(1 AS BIGINT) ELSE CAST(0 AS BIGINT) END
