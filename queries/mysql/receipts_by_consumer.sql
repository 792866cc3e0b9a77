-- Which consumers that nobody configured have receipts within a span, and how many?
-- Wants an index on the time of consumption.
-- Row: consumer's name, number of receipts.
SELECT
    /*:name*/,
    COUNT(*)
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:unknown*/
  AND /*:filter*/
GROUP BY 1
ORDER BY 2 DESC, 1
LIMIT /*:limit*/
