-- Forgets runs.
-- Wants the primary key.
DELETE FROM msgrecon_runs
WHERE run IN (/*:list*/)
