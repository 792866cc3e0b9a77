-- Which runs began before an instant?
-- Wants (started_at).
-- Row: run.
SELECT run
FROM msgrecon_runs
WHERE started_at < ? AND state <> 'running'
ORDER BY started_at
LIMIT ?
