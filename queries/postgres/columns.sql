-- Which columns do the tables have, of what declared type, and does a comparison of them ignore case?
-- Wants no index: it reads the catalogue.
-- Row: table's place among those asked about from 1, column's place, name, declared type, ignores case (0 or 1), whether it
-- is kept as bytes or UTF-8 (asked of MySQL alone), collation.
SELECT
    n.place::int,
    a.attnum::int,
    a.attname::text,
    format_type(a.atttypid, a.atttypmod),
    CASE
        WHEN t.typname = 'citext' THEN 1
        WHEN to_jsonb(c) ->> 'collisdeterministic' = 'false' THEN 1
        ELSE 0
    END,
    NULL,
    c.collname::text
FROM unnest(/*:tables*/) WITH ORDINALITY AS n (id, place)
JOIN pg_attribute AS a ON a.attrelid = n.id
JOIN pg_type AS t ON t.oid = a.atttypid
LEFT JOIN pg_collation AS c ON c.oid = a.attcollation
WHERE a.attnum > 0
  AND NOT a.attisdropped
