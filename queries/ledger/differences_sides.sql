-- At which consumers does which flow have open differences?
-- Wants (flow, state, window_from).
-- Row: flow, consumer.
SELECT DISTINCT flow, consumer
FROM msgrecon_differences
WHERE state = 'open'
ORDER BY flow, consumer
