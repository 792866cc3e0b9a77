-- Begins a run's part of a flow.
-- Wants the primary key.
INSERT INTO msgrecon_run_flows (run, flow, as_of, scheduled, finished, windows)
VALUES (?, ?, ?, ?, 0, 0)
