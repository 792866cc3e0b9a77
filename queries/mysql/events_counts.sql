-- How many confirmed events of the flow can be added up in a window, and for which consumers?
-- Wants an index on the ack time: the column is compared as it stands.
-- Row: expected by consumers 1-32 and 33-64 (bits), number of events.
SELECT
    low,
    high,
    COUNT(*)
FROM (
    SELECT
        /*:expected_low*/ AS low,
        /*:expected_high*/ AS high
    FROM /*:table*/
    WHERE /*:acked_within*/
      AND /*:acked_usable*/
      AND /*:filter*/
      AND /*:picked*/
) AS events
GROUP BY low, high
