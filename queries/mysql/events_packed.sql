-- Which events of the flow did the broker confirm within a span, each in 13 bytes of one value?
-- Wants an index on the ack time, best one that holds the id as well: then no row has to be fetched.
-- In digits while it is put together, as the server makes digests, and half as long on its way.
-- Row: rows, rows that fit, those packed (end of the id's digest, low 40 bits of the time), expected by consumers 1-32 and 33-64 (bits; one row for each that comes).
SELECT
    COUNT(*),
    COUNT(/*:fitting*/),
    UNHEX(GROUP_CONCAT(/*:packed*/ SEPARATOR '')),
    /*:expected_low*/,
    /*:expected_high*/
FROM /*:table*/
WHERE /*:acked_within*/
  AND /*:acked_usable*/
  AND /*:filter*/
/*:by_expected*/
