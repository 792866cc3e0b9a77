-- Forgets what was to be told before an instant: told, given up, or never sent.
-- Wants no index: pruning is rare.
DELETE FROM msgrecon_deliveries
WHERE created_at < ?
