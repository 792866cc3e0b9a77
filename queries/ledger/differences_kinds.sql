-- How many differences of a flow are open and not acknowledged, by consumer, kind, and since when they are both? One whose
-- acknowledgement has ended is news again.
-- Wants (flow, state, window_from).
-- Row: consumer, kind, since, count.
SELECT consumer, kind, CASE WHEN ack_until > kind_since THEN ack_until ELSE kind_since END AS since, COUNT(*)
FROM msgrecon_differences
WHERE flow = ? AND state = 'open' AND (ack_until IS NULL OR ack_until <= ?)
GROUP BY consumer, kind, since
