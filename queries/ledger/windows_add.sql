-- Keeps windows that were judged.
-- Wants the primary key.
INSERT INTO msgrecon_windows
    (flow, from_at, until_at, state, as_of, first_as_of, lapsed, stale, acked, lost, other, counts)
VALUES /*:rows*/
