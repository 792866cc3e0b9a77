-- When was a target last told of a flow, by the as-of of the run?
-- Wants (target, as_of).
-- Row: as_of.
SELECT MAX(as_of)
FROM msgrecon_deliveries
WHERE target = ? AND flow = ? AND state <> 'dropped'
