-- Keeps an alert.
-- Wants the primary key.
INSERT INTO msgrecon_alerts (flow, consumer, metric, state, body)
VALUES (?, ?, ?, ?, ?)
