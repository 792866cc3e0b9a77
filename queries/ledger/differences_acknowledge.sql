-- Somebody knows of a difference, or takes that back.
-- Wants the primary key.
UPDATE msgrecon_differences
SET ack_until = ?, ack_reason = ?
WHERE flow = ? AND consumer = ? AND id_key = ? AND state = 'open'
