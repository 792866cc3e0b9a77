-- Ends a run's part of a flow.
-- Wants the primary key.
UPDATE msgrecon_run_flows
SET finished = 1, windows = ?, outcome = ?, verdict = ?, differences = ?, opened = ?, resolved = ?
WHERE run = ? AND flow = ?
