-- Which events of the flow are there at all? Asked where the times cannot be compared by the server.
-- Wants an index on what the flow's condition names; without one it reads the table.
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
WHERE /*:filter*/
LIMIT /*:limit*/
