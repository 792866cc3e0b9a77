-- What did the consumer process within a span, all in one row?
-- Wants an index on the time of consumption that holds the id as well.
-- Two values, since putting an id and its time together takes a copy of both for each row.
-- Row: rows, rows that fit, their ids in one, their times in one.
SELECT
    count(*),
    count(*) FILTER (WHERE /*:fits*/),
    string_agg(/*:ids*/, /*:between*/)/*:only*/,
    string_agg(/*:times*/, ''::bytea)/*:only*/ AS times
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
