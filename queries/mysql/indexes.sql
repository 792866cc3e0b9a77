-- Which indexes do the tables have? One of several such statements in one.
-- Wants no index: it reads the catalogue.
-- Row: table's place among those asked about from 1, column's place from 1, index, unique (0 or 1), covers only some rows
-- (0 or 1), column (NULL: an expression).
SELECT
    /*:place*/,
    SEQ_IN_INDEX,
    INDEX_NAME,
    CASE WHEN NON_UNIQUE = 0 THEN 1 ELSE 0 END,
    0,
    COLUMN_NAME
FROM information_schema.STATISTICS
WHERE TABLE_SCHEMA = /*:schema*/
  AND TABLE_NAME = /*:name*/
  AND INDEX_TYPE IN ('BTREE', 'HASH')
