-- Which events of the flow did the broker confirm within a span?
-- Wants an index on the ack time: the column is compared as it stands.
-- Row: id, created, acked, state, attempts, expected by consumers 1-32 and 33-64 (bits), in the flow.
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
LIMIT /*:limit*/
