-- Forgets one slice, since it is judged again.
-- Wants the primary key.
DELETE FROM msgrecon_slices
WHERE flow = ? AND from_at = ?
