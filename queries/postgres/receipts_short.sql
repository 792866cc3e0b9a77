-- What did the consumer process within a span, all in one row?
-- Wants an index on the time of consumption that holds the id as well.
-- Row: rows, rows that fit, their ids, their times.
SELECT
    count(*),
    count(/*:fitting*/),
    string_agg(/*:ids*/, /*:between_ids*/),
    string_agg(/*:times*/, /*:between_times*/)
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
