-- What did the consumer process within a span, all in one row?
-- Wants an index on the time of consumption that holds the id as well.
-- Row: rows, rows that fit, their ids and times in one.
SELECT
    COUNT(*),
    COUNT(*) FILTER (WHERE /*:fits*/),
    group_concat(/*:together*/, char(31))/*:only*/
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
