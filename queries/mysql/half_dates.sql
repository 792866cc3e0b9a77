-- Is there a row whose time lies in one of these spans?
-- Wants an index that leads with the column: it is looked into once for each span.
-- Row: 1, if there is.
SELECT 1
FROM /*:table*/
WHERE /*:spans*/
LIMIT 1
