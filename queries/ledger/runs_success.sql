-- When did the last run end that judged, whatever it found?
-- Wants (started_at).
-- Row: finished_at.
SELECT MAX(finished_at)
FROM msgrecon_runs
WHERE state = 'finished' AND exit_code IN (0, 1)
