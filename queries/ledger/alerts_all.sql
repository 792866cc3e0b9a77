-- The alerts of all flows that are pending or fire.
-- Wants no index: there are few.
-- Row: body.
SELECT body
FROM msgrecon_alerts
WHERE state <> 'cleared'
ORDER BY flow, consumer, metric
