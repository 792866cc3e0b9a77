-- Which receipts of a span lie in buckets that differ, or cannot be added up?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- Row: as in receipts.
SELECT
    /*:id*/,
    /*:original_id*/,
    /*:consumed*/
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
  AND /*:picked*/
LIMIT /*:limit*/
