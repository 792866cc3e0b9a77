-- Which indexes does the table have?
-- A table's unique index says nothing of the rows that tables inheriting from it hold.
-- Wants no index: it reads the catalogue.
-- Row: index, unique (0 or 1), covers only some rows (0 or 1), column's place from 1, column (NULL: an expression).
SELECT
    x.relname::text,
    CASE WHEN i.indisunique AND NOT (t.relkind = 'r' AND t.relhassubclass) THEN 1 ELSE 0 END,
    CASE WHEN i.indpred IS NOT NULL THEN 1 ELSE 0 END,
    k.place::int,
    a.attname::text
FROM pg_index AS i
JOIN pg_class AS x ON x.oid = i.indexrelid
JOIN pg_class AS t ON t.oid = i.indrelid
CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
WHERE i.indrelid = to_regclass(/*:name*/)
  AND i.indisvalid
  AND k.place <= i.indnkeyatts
ORDER BY 1, 4
