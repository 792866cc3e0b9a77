-- Takes the lock under which a schema is brought up to date, and waits for it; the session's end gives it back. The driver's
-- own waits without end, which MariaDB takes for not at all.
-- Wants no index.
-- Row: 1 if it is ours.
SELECT CAST(GET_LOCK(CONCAT('msgrecon:migration:', MD5(DATABASE())), 30) AS SIGNED)
