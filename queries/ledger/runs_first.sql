-- When did the first scheduled run of a flow look, by its as-of?
-- Wants (flow, finished, as_of).
-- Row: as_of.
SELECT MIN(as_of)
FROM msgrecon_run_flows
WHERE flow = ? AND finished = 1 AND scheduled = 1
