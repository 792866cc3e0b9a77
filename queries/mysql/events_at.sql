-- Which events that the broker confirmed at some instants have an id with one of these digests?
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
WHERE /*:acked_at*/
  AND /*:filter*/
  AND /*:digests*/
