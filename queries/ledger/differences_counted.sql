-- How many differences of a flow are open, acknowledged or not, new or not?
-- Wants (flow, state, window_from).
-- Row: acknowledged, new, count.
SELECT CASE WHEN ack_until > ? THEN 1 ELSE 0 END, CASE WHEN first_seen > ? THEN 1 ELSE 0 END, COUNT(*)
FROM msgrecon_differences
WHERE flow = ? AND state = 'open'
GROUP BY 1, 2
