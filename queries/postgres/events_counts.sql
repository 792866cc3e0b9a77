-- How many confirmed events of the flow can be added up in each window, and for which consumers?
-- Wants an index on the ack time: the column is compared as it stands.
-- Row: window's place, expected by consumers 1-32 and 33-64 (bits), number of events.
SELECT
    place,
    low,
    high,
    COUNT(*)
FROM (
    SELECT
        /*:place*/ AS place,
        /*:expected_low*/ AS low,
        /*:expected_high*/ AS high
    FROM /*:table*/
    WHERE /*:acked_within*/
      AND /*:acked_usable*/
      AND /*:filter*/
      AND /*:picked*/
) AS events
GROUP BY place, low, high
