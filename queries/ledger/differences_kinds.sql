-- How many differences of a flow are open and not acknowledged, by consumer, kind, and since when they are of that kind?
-- Wants (flow, state, window_from).
-- Row: consumer, kind, since, count.
SELECT consumer, kind, kind_since, COUNT(*)
FROM msgrecon_differences
WHERE flow = ? AND state = 'open' AND (ack_until IS NULL OR ack_until <= ?)
GROUP BY consumer, kind, kind_since
