-- Ends the life of windows that no scheduled run will look at again.
-- Wants the primary key, and (flow, state, window_from) of the differences.
UPDATE msgrecon_windows
SET state = 'final'
WHERE flow = ? AND state = 'judged' AND stale = 0 AND until_at <= ? AND as_of - until_at >= ?
    AND NOT EXISTS (
        SELECT 1
        FROM msgrecon_differences AS d
        WHERE d.flow = msgrecon_windows.flow AND d.state = 'open' AND d.window_from = msgrecon_windows.from_at
    )
