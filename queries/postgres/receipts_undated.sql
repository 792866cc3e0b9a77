-- What did the consumer process at a time that is NULL or unusable?
-- Wants an index on the time of consumption for its NULLs; without one it reads the table.
-- Row: as in receipts.
SELECT
    /*:id*/,
    /*:original_id*/,
    /*:consumed*/
FROM /*:table*/
WHERE /*:consumed_unusable*/
  AND /*:consumer*/
  AND /*:filter*/
LIMIT /*:limit*/
