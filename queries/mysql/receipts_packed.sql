-- What did the consumer process within a span, each receipt in 13 bytes of one value?
-- Wants an index on the time of consumption that holds the id as well.
-- In digits while it is put together, as the server makes digests, and half as long on its way.
-- Row: rows, rows that fit, those packed (end of the id's digest, low 40 bits of the time).
SELECT
    COUNT(*),
    COUNT(/*:fitting*/),
    UNHEX(GROUP_CONCAT(/*:packed*/ SEPARATOR ''))
FROM /*:table*/
WHERE /*:consumed_within*/
  AND /*:consumer*/
  AND /*:filter*/
