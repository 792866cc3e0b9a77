-- Forgets the windows that overlap a span, since it was judged again. The first bound only keeps the index short.
-- Wants the primary key.
DELETE FROM msgrecon_windows
WHERE flow = ? AND from_at > ? AND from_at < ? AND until_at > ?
