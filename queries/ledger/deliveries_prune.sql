-- Forgets what was told or given up before an instant, and what has waited since before another one.
-- Wants no index: pruning is rare.
DELETE FROM msgrecon_deliveries
WHERE created_at < ? AND (state <> 'waiting' OR created_at < ?)
