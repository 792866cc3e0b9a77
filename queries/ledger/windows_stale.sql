-- In which windows has a difference changed since they were judged?
-- Wants (flow, stale).
-- Row: from, until, state, as-of, first as-of, lapsed, stale, acked, lost, other.
SELECT from_at, until_at, state, as_of, first_as_of, lapsed, stale, acked, lost, other
FROM msgrecon_windows
WHERE flow = ? AND stale = 1
ORDER BY from_at
LIMIT ?
