-- Makes room for a flow's alerts as a run leaves them.
-- Wants the primary key.
DELETE FROM msgrecon_alerts
WHERE flow = ?
