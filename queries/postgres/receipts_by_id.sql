-- Which of these ids did the consumer process, whenever it was?
-- Wants an index that leads with the id; without one it reads the table.
-- Row: as in receipts.
SELECT
    /*:id*/,
    /*:original_id*/,
    /*:consumed*/
FROM /*:table*/
WHERE /*:matches*/
  AND /*:consumer*/
  AND /*:filter*/
