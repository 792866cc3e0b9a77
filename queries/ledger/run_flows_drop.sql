-- Forgets the flows of runs.
-- Wants the primary key.
DELETE FROM msgrecon_run_flows
WHERE run IN (/*:list*/)
