-- What did the consumer process within a span, all in one row?
-- Wants an index on the time of consumption that holds the id as well.
-- Row: rows, rows that fit, their ids and times in one.
SELECT
    count(*),
    count(*) FILTER (WHERE /*:fits*/),
    string_agg(/*:together*/, /*:between*/)/*:only*/
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
