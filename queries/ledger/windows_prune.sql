-- Forgets final windows that ended before an instant.
-- Wants the primary key.
DELETE FROM msgrecon_windows
WHERE flow = ? AND state = 'final' AND until_at <= ?
