-- What did the consumer process within a span?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- Row: id, original id, consumed.
SELECT
    /*:id*/,
    /*:original_id*/,
    /*:consumed*/
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
LIMIT /*:limit*/
