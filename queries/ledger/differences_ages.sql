-- How many open differences were first seen before which instants, by flow?
-- Wants (flow, state, window_from).
-- Row: flow, acknowledged, first seen before the first, second, third bound, count.
SELECT flow, CASE WHEN ack_until > ? THEN 1 ELSE 0 END,
    CASE WHEN first_seen > ? THEN 0 WHEN first_seen > ? THEN 1 WHEN first_seen > ? THEN 2 ELSE 3 END, COUNT(*)
FROM msgrecon_differences
WHERE state = 'open'
GROUP BY 1, 2, 3
