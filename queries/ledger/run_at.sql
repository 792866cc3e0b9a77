-- Was a run of this flow as of this instant finished before?
-- Wants (flow, finished, as_of).
-- Row: run.
SELECT run
FROM msgrecon_run_flows
WHERE flow = ? AND finished = 1 AND as_of = ?
LIMIT 1
