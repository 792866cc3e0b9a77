-- Begins a flow.
-- Wants the primary key.
INSERT INTO msgrecon_flows (flow, begin_at, asked_start, watermark)
VALUES (?, ?, ?, ?)
