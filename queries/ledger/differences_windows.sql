-- Which windows hold open differences?
-- Wants (flow, state, window_from).
-- Row: window.
SELECT DISTINCT window_from
FROM msgrecon_differences
WHERE flow = ? AND state = 'open' AND window_from IS NOT NULL
ORDER BY window_from
LIMIT ?
