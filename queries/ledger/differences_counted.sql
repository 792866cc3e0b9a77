-- How many differences of a flow are open, by consumer and kind, acknowledged or not, new or not?
-- Wants (flow, state, window_from).
-- Row: consumer, kind, acknowledged, new, count.
SELECT consumer, kind, CASE WHEN ack_until > ? THEN 1 ELSE 0 END, CASE WHEN first_seen > ? THEN 1 ELSE 0 END, COUNT(*)
FROM msgrecon_differences
WHERE flow = ? AND state = 'open'
GROUP BY 1, 2, 3, 4
