-- What did the consumer give up on within a span?
-- Wants an index on the time at which it gave up.
-- Row: id, dead, closed, reason.
SELECT
    /*:id*/,
    /*:dead*/,
    /*:closed*/,
    /*:reason*/
FROM /*:table*/
WHERE /*:dead_within*/
  AND /*:filter*/
LIMIT /*:limit*/
