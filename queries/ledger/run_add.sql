-- Begins a run.
-- Wants the primary key.
INSERT INTO msgrecon_runs (run, as_of, started_at, version, scheduled, state)
VALUES (?, ?, ?, ?, ?, 'running')
