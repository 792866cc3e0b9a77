-- Keeps differences.
-- Wants the primary key.
INSERT INTO msgrecon_differences
    (flow, consumer, id, kind, state, window_from, home_at, created_at, acked_at, consumed_at, detail, first_seen, last_seen, times_seen,
    checked_at, found_late, ack_until, ack_reason, resolved_at, resolution, history,
    id_key, kind_since)
VALUES /*:rows*/
