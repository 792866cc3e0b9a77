-- How many open differences are acknowledged, by consumer, kind and window, and were they seen as of now?
-- Wants (flow, state, window_from).
-- Row: consumer, kind, window, seen as of now, count.
SELECT consumer, kind, window_from, CASE WHEN last_seen = ? THEN 1 ELSE 0 END, COUNT(*)
FROM msgrecon_differences
WHERE flow = ? AND state = 'open' AND ack_until > ? AND (home_at IS NULL OR (home_at >= ? AND home_at < ?))
GROUP BY 1, 2, 3, 4
