-- Which events of the flow are pending, whenever they were written?
-- Wants an index on the state, or a partial one over the pending rows.
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
WHERE /*:pending*/
  AND /*:filter*/
