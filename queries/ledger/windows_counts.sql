-- What was counted in these windows?
-- Wants the primary key.
-- Row: from, until, lapsed, counts.
SELECT from_at, until_at, lapsed, counts
FROM msgrecon_windows
WHERE flow = ? AND from_at IN (/*:list*/)
ORDER BY from_at
