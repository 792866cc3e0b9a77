-- Which events of the flow have neither a usable ack time nor a usable creation time?
-- Wants an index on the ack time or on the creation time for its NULLs; without one it reads the table.
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
WHERE /*:acked_unusable*/
  AND /*:created_unusable*/
  AND /*:filter*/
LIMIT /*:limit*/
