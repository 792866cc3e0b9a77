-- Forgets final windows that ended before an instant, and that no run has to judge again.
-- Wants the primary key, and (flow, state, window_from) of the differences.
DELETE FROM msgrecon_windows
WHERE flow = ? AND state = 'final' AND stale = 0 AND until_at <= ?
    AND from_at NOT IN (
        SELECT window_from
        FROM msgrecon_differences
        WHERE flow = ? AND state = 'open' AND window_from IS NOT NULL
    )
