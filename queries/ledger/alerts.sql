-- The alerts of a flow, whatever their state.
-- Wants the primary key.
-- Row: body.
SELECT body
FROM msgrecon_alerts
WHERE flow = ?
ORDER BY consumer, metric
