-- How many receipts of a span can be added up?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- Row: number of receipts.
SELECT COUNT(*)
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
  AND /*:picked*/
