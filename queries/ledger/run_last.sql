-- Which run of a flow was the last before, scheduled (1) or by hand (0)?
-- Wants (flow, finished, as_of).
-- Row: run, as-of.
SELECT run, as_of
FROM msgrecon_run_flows
WHERE flow = ? AND finished = 1 AND scheduled = ? AND as_of <= ?
ORDER BY as_of DESC, run DESC
LIMIT 1
