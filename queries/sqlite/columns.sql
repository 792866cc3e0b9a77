-- Which columns do the tables have, of what declared type, and does a comparison of them ignore case? One of several such
-- statements in one.
-- Wants no index: it reads the catalogue.
-- Row: table's place among those asked about from 1, column's place, name, declared type, ignores case (0 or 1), whether it
-- is kept as bytes or UTF-8 (asked of MySQL alone), collation (asked of servers alone).
SELECT
    /*:place*/,
    c.cid,
    c.name,
    c.type,
    EXISTS (
        SELECT 1
        FROM pragma_index_list(/*:name*/, /*:schema*/) AS l, pragma_index_xinfo(l.name, /*:schema*/) AS x
        WHERE x.name = c.name AND x.coll = 'NOCASE'
    ),
    NULL,
    NULL
FROM pragma_table_xinfo(/*:name*/, /*:schema*/) AS c
