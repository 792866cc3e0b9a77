-- Takes the lock that tells that a run's process lives; it goes with the session.
-- Row: 1 where it was free.
SELECT CAST(GET_LOCK(?, 0) AS SIGNED)
