-- What did a run come to in each of its flows?
-- Wants the primary key.
-- Row: flow, windows, outcome, verdict, differences, opened, resolved.
SELECT flow, windows, outcome, verdict, differences, opened, resolved
FROM msgrecon_run_flows
WHERE run = ?
ORDER BY flow
