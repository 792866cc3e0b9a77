-- Makes the row that later holders of a flow take.
-- Wants the primary key.
INSERT INTO msgrecon_leases (flow, token, beat_at)
VALUES (?, 0, 0)
