-- Which open differences of a span of windows has nobody looked at as of now, page by page?
-- Wants the primary key.
-- The place is told twice: SQLite and PostgreSQL seek by the pair, MySQL by the alternatives.
-- Row: all columns but the key.
SELECT flow, consumer, id, kind, state, window_from, home_at, created_at, acked_at, consumed_at, detail, first_seen, last_seen, times_seen,
    checked_at, found_late, ack_until, ack_reason, resolved_at, resolution, history
FROM msgrecon_differences
WHERE flow = ? AND state = 'open' AND window_from >= ? AND window_from < ? AND checked_at < ?
    AND (consumer, id_key) > (?, ?) AND (consumer > ? OR (consumer = ? AND id_key > ?))
ORDER BY consumer, id_key
LIMIT ?
