-- Takes a flow, if nobody has taken it since the token was read.
-- Wants the primary key.
UPDATE msgrecon_leases
SET holder = ?, token = token + 1, beat_at = ?
WHERE flow = ? AND token = ?
