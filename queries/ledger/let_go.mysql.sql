-- Gives back the lock of a run whose process is gone.
-- Row: 1.
SELECT CAST(RELEASE_LOCK(?) AS SIGNED)
