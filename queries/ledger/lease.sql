-- Who holds a flow?
-- Wants the primary key.
-- Row: holder, token, last heartbeat.
SELECT holder, token, beat_at
FROM msgrecon_leases
WHERE flow = ?
