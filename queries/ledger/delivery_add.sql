-- Keeps what is to be told, before it is sent.
-- Wants the primary key.
INSERT INTO msgrecon_deliveries (delivery, target, flow, run, as_of, created_at, state, attempts, tried_at, problem, body)
VALUES (?, ?, ?, ?, ?, ?, 'waiting', 0, NULL, NULL, ?)
