-- Which runs of one flow were there, the newest first?
-- Wants (started_at), and the primary key of the runs' flows.
-- Row: as `runs`, the counts being the flow's.
SELECT r.run, r.as_of, r.started_at, r.finished_at, r.version, r.scheduled, r.state, r.span_from, r.span_until, f.outcome, f.verdict,
    r.complete, r.exit_code, f.differences
FROM msgrecon_runs AS r
JOIN msgrecon_run_flows AS f ON f.run = r.run
WHERE f.flow = ?
ORDER BY r.started_at DESC, r.run DESC
LIMIT ?
