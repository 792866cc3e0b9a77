-- What stands in a table of the ledger, page by page, to be copied to another?
-- Wants the primary key.
-- Row: the columns.
SELECT /*:columns*/
FROM /*:table*/
ORDER BY /*:key*/
LIMIT ? OFFSET ?
