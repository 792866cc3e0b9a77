-- Which name comes next in the consumer column, of whatever time?
-- Wants an index that leads with that column: then it is one step in the index.
-- Row: consumer's name.
SELECT /*:name*/
FROM /*:table*/
WHERE /*:after*/
ORDER BY /*:raw*/
LIMIT 1
