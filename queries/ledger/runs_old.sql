-- Which runs began before an instant, have nothing that waits to be told, and are not the ones that the next run of a flow compares itself with?
-- Wants (started_at), and (flow, finished, as_of) of the runs' flows.
-- Row: run.
SELECT r.run
FROM msgrecon_runs AS r
WHERE r.started_at < ?
    AND NOT EXISTS (
        SELECT 1
        FROM msgrecon_run_flows AS f
        WHERE f.run = r.run AND f.finished = 1
            AND NOT EXISTS (
                SELECT 1
                FROM msgrecon_run_flows AS g
                WHERE g.flow = f.flow AND g.finished = 1 AND g.scheduled = f.scheduled
                    AND (g.as_of > f.as_of OR (g.as_of = f.as_of AND g.run > f.run))
            )
    )
    AND NOT EXISTS (SELECT 1 FROM msgrecon_deliveries AS d WHERE d.run = r.run AND d.state = 'waiting')
ORDER BY r.started_at
LIMIT ?
