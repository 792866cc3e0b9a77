-- How much waits to be told?
-- Wants (state, flow).
-- Row: count.
SELECT COUNT(*)
FROM msgrecon_deliveries
WHERE state = 'waiting'
