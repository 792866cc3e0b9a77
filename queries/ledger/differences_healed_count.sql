-- How many differences healed or were given up since an instant?
-- Wants (flow, resolved_at).
-- Row: state, count.
SELECT state, COUNT(*)
FROM msgrecon_differences
WHERE flow = ? AND resolved_at > ? AND state <> 'open'
GROUP BY state
