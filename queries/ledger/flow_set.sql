-- Moves a flow's begin and watermark.
-- Wants the primary key.
UPDATE msgrecon_flows
SET begin_at = ?, asked_start = ?, watermark = ?
WHERE flow = ?
