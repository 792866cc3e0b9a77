-- What did the consumer process within a span, all in one row?
-- Wants an index on the time of consumption that holds the id as well.
-- Row: rows, rows that fit, their ids, their times.
SELECT
    COUNT(*),
    COUNT(/*:fitting*/),
    group_concat(/*:ids*/, /*:between_ids*/),
    group_concat(/*:times*/, /*:between_times*/)
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
