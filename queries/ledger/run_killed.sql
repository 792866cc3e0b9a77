-- Marks a run as killed whose lease another has taken over.
-- Wants the primary key.
UPDATE msgrecon_runs
SET state = 'killed'
WHERE run = ? AND state = 'running'
