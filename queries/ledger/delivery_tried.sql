-- Notes what became of an attempt to tell.
-- Wants the primary key.
UPDATE msgrecon_deliveries
SET state = ?, attempts = attempts + 1, tried_at = ?, problem = ?
WHERE delivery = ?
