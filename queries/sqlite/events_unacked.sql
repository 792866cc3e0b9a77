-- Which events of the flow were written within a span and have no usable ack time?
-- Wants an index on the creation time: the column is compared as it stands; asked once for all spans, one on the ack time.
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
WHERE /*:created_within*/
  AND /*:acked_unusable*/
  AND /*:filter*/
LIMIT /*:limit*/
