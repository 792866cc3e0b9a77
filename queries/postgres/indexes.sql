-- Which indexes do the tables have?
-- A table's unique index says nothing of the rows that tables inheriting from it hold.
-- Wants no index: it reads the catalogue.
-- Row: table's place among those asked about from 1, column's place from 1, index, unique (0 or 1), covers only some rows
-- (0 or 1), column (NULL: an expression).
SELECT
    n.place::int,
    k.place::int,
    x.relname::text,
    CASE WHEN i.indisunique AND NOT (t.relkind = 'r' AND t.relhassubclass) THEN 1 ELSE 0 END,
    CASE WHEN i.indpred IS NOT NULL THEN 1 ELSE 0 END,
    a.attname::text
FROM unnest(/*:tables*/) WITH ORDINALITY AS n (id, place)
JOIN pg_index AS i ON i.indrelid = n.id
JOIN pg_class AS x ON x.oid = i.indexrelid
JOIN pg_class AS t ON t.oid = i.indrelid
CROSS JOIN LATERAL unnest(i.indkey::int2[]) WITH ORDINALITY AS k (attnum, place)
LEFT JOIN pg_attribute AS a ON a.attrelid = i.indrelid AND a.attnum = k.attnum AND k.attnum > 0
WHERE i.indisvalid
  AND k.place <= i.indnkeyatts
