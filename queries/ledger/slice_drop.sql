-- Forgets the slices that reach into a span, since it was judged again.
-- Wants the primary key.
DELETE FROM msgrecon_slices
WHERE flow = ? AND from_at < ? AND until_at > ?
