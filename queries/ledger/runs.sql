-- Which runs were there, the newest first?
-- Wants (started_at).
-- Row: run, as-of, started, finished, version, scheduled, state, from, until, outcome, verdict, complete, exit code, differences.
SELECT run, as_of, started_at, finished_at, version, scheduled, state, span_from, span_until, outcome, verdict, complete, exit_code,
    differences
FROM msgrecon_runs
ORDER BY started_at DESC, run DESC
LIMIT ?
