-- About how many rows does the table have?
-- Only ANALYZE leaves a number, in sqlite_stat1; nothing cheap tells it otherwise.
-- Wants no index: that table is small.
-- Row: numbers parted by blanks, of which the first is the table's.
SELECT stat AS rows
FROM sqlite_stat1
WHERE tbl = /*:name*/
