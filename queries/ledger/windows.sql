-- Which windows that begin in a span were judged?
-- Wants the primary key.
-- Row: from, until, state, as-of, first as-of, lapsed, stale, acked, lost, other.
SELECT from_at, until_at, state, as_of, first_as_of, lapsed, stale, acked, lost, other
FROM msgrecon_windows
WHERE flow = ? AND from_at >= ? AND from_at < ?
ORDER BY from_at
LIMIT ?
