-- What was judged and not reported yet?
-- Wants the primary key.
-- Row: from, until, as-of, body.
SELECT from_at, until_at, as_of, body
FROM msgrecon_slices
WHERE flow = ?
ORDER BY from_at, part
