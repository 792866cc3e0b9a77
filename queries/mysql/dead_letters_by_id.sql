-- On which of these ids did the consumer give up, whenever it was?
-- Wants an index that leads with the id; without one it reads the table.
-- Row: as in dead_letters.
SELECT
    /*:id*/,
    /*:dead*/,
    /*:closed*/,
    /*:reason*/
FROM /*:table*/
WHERE /*:matches*/
  AND /*:filter*/
