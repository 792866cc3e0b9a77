-- Which columns do the tables have, of what declared type, does a comparison of them ignore case, and are they kept as
-- bytes or as UTF-8? One of several such statements in one.
-- Wants no index: it reads the catalogue.
-- Row: table's place among those asked about from 1, column's place, name, declared type, ignores case, kept as bytes or
-- UTF-8 (0 or 1), collation.
-- MariaDB keeps JSON as LONGTEXT with a check that bears the column's name. MySQL's list of checks has no TABLE_NAME:
-- there the name means the outer one, and the comparison is always true.
SELECT
    /*:place*/,
    c.ORDINAL_POSITION,
    c.COLUMN_NAME,
    CASE
        WHEN c.DATA_TYPE = 'longtext' AND EXISTS (
            SELECT 1
            FROM information_schema.CHECK_CONSTRAINTS AS k
            WHERE k.CONSTRAINT_SCHEMA = c.TABLE_SCHEMA
              AND TABLE_NAME = c.TABLE_NAME
              AND k.CONSTRAINT_NAME = c.COLUMN_NAME
              AND k.CHECK_CLAUSE LIKE 'json_valid(%'
        ) THEN 'json'
        ELSE c.COLUMN_TYPE
    END,
    CASE WHEN RIGHT(c.COLLATION_NAME, 3) = '_ci' THEN 1 ELSE 0 END,
    CASE WHEN COALESCE(c.CHARACTER_SET_NAME, 'binary') IN ('binary', 'ascii', 'utf8', 'utf8mb3', 'utf8mb4') THEN 1 ELSE 0 END,
    c.COLLATION_NAME
FROM information_schema.COLUMNS AS c
WHERE c.TABLE_SCHEMA = /*:schema*/
  AND c.TABLE_NAME = /*:name*/
