-- Which receipts of some instants have an id with one of these digests?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- Row: as in receipts.
SELECT
    /*:id*/,
    /*:original_id*/,
    /*:consumed*/
FROM /*:table*/
WHERE /*:consumed_at*/
  AND /*:consumer*/
  AND /*:filter*/
  AND /*:digests*/
