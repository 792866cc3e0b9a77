-- Which events of the flow did the broker confirm within a span, all in one row?
-- Wants an index on the ack time, best one that holds the id as well: then no row has to be fetched.
-- Two values, since putting an id and its time together takes a copy of both for each row.
-- Row: rows, rows that fit, their ids in one, expected by consumers 1-32 and 33-64 (bits; one row for each that comes), their times in one.
SELECT
    count(*),
    count(*) FILTER (WHERE /*:fits*/),
    string_agg(/*:ids*/, /*:between*/)/*:only*/,
    /*:expected_low*/,
    /*:expected_high*/,
    string_agg(/*:times*/, ''::bytea)/*:only*/ AS times
FROM /*:table*/
WHERE /*:acked_within*/
  AND /*:acked_usable*/
  AND /*:filter*/
/*:by_expected*/
