-- Which differences fit what is asked for, page by page?
-- Wants the primary key.
-- Row: all columns but the key.
SELECT flow, consumer, id, kind, state, window_from, home_at, created_at, acked_at, consumed_at, detail, first_seen, last_seen, times_seen,
    checked_at, found_late, ack_until, ack_reason, resolved_at, resolution, history
FROM msgrecon_differences
WHERE /*:where*/
ORDER BY flow, consumer, id_key
LIMIT ?
