-- Which differences healed or were given up since an instant?
-- Wants (flow, resolved_at).
-- Row: all columns but the key.
SELECT flow, consumer, id, kind, state, window_from, home_at, created_at, acked_at, consumed_at, detail, first_seen, last_seen, times_seen,
    checked_at, found_late, ack_until, ack_reason, resolved_at, resolution, history
FROM msgrecon_differences
WHERE flow = ? AND resolved_at > ? AND state <> 'open'
ORDER BY consumer, id_key
LIMIT ?
