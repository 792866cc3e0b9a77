-- What did the consumer process within a span, each receipt in 13 bytes of one value?
-- Wants an index on the time of consumption that holds the id as well.
-- Row: rows, rows that fit, those packed (end of the id's digest, low 40 bits of the time).
SELECT
    count(*),
    count(/*:fitting*/),
    string_agg(/*:packed*/, ''::bytea)
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
