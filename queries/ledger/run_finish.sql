-- Ends a run.
-- Wants the primary key.
UPDATE msgrecon_runs
SET finished_at = ?, state = 'finished', span_from = ?, span_until = ?, outcome = ?, verdict = ?, complete = ?, exit_code = ?,
    differences = ?
WHERE run = ?
