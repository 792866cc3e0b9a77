-- Which runs have an id that begins like this, the newest first?
-- Wants no index: there are few, compared with what else a ledger holds.
-- Row: run, state.
SELECT run, state
FROM msgrecon_runs
WHERE run LIKE ? ESCAPE '!'
ORDER BY started_at DESC, run DESC
LIMIT ?
