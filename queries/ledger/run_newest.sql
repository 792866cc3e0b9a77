-- Which run was finished last?
-- Wants (started_at).
-- Row: run.
SELECT run
FROM msgrecon_runs
WHERE state = 'finished'
ORDER BY started_at DESC, run DESC
LIMIT 1
