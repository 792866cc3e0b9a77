-- Differences that were seen again, unchanged.
-- Wants the primary key.
UPDATE msgrecon_differences
SET last_seen = ?, checked_at = ?, times_seen = times_seen + 1
WHERE flow = ? AND consumer = ? AND id_key IN (/*:list*/)
