-- What did the consumer process within a span, all in one row?
-- Wants an index on the time of consumption that holds the id as well.
-- Row: rows, rows that fit, their ids, their times (beside the ids).
SELECT
    COUNT(*),
    COUNT(/*:fitting*/),
    GROUP_CONCAT(/*:ids_and_times*/ SEPARATOR ''),
    NULL
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
