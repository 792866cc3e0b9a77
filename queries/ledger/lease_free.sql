-- Gives a flow back.
-- Wants the primary key.
UPDATE msgrecon_leases
SET holder = NULL
WHERE flow = ? AND holder = ? AND token = ?
