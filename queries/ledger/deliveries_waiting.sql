-- What waits to be told to a target of a flow, oldest first?
-- Wants (state, flow).
-- Row: delivery, target, run, attempts, created_at, body.
SELECT delivery, target, run, attempts, created_at, body
FROM msgrecon_deliveries
WHERE state = 'waiting' AND flow = ? AND target = ?
ORDER BY as_of, created_at, delivery
LIMIT ?
