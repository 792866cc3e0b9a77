-- Which of the events that the broker confirmed within a span lie in buckets that differ, or cannot be added up?
-- Wants an index on the ack time: the column is compared as it stands.
-- Row: as in events_acked.
SELECT
    /*:id*/,
    /*:created*/,
    /*:acked*/,
    /*:state*/,
    /*:attempts*/,
    /*:expected_low*/,
    /*:expected_high*/,
    /*:in_flow*/
FROM /*:table*/
WHERE /*:acked_within*/
  AND /*:acked_usable*/
  AND /*:filter*/
  AND /*:picked*/
LIMIT /*:limit*/
