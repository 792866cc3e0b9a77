-- Shows that a holder lives; changes no row if another has taken over. In a transaction it fences it: the row stays locked to its end.
-- Wants the primary key.
UPDATE msgrecon_leases
SET beat_at = ?
WHERE flow = ? AND holder = ? AND token = ?
