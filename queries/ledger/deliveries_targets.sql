-- Who waits to be told of a flow?
-- Wants (state, flow).
-- Row: target.
SELECT DISTINCT target
FROM msgrecon_deliveries
WHERE state = 'waiting' AND flow = ?
ORDER BY target
