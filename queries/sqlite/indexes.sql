-- Which indexes do the tables have? One of several such statements in one.
-- Wants no index: it reads the catalogue.
-- Row: table's place among those asked about from 1, column's place from 1, index, unique (0 or 1), covers only some rows
-- (0 or 1), column (NULL: an expression).
-- A primary key of one INTEGER column is the table itself and has no entry among the indexes: pk adds it.
SELECT
    /*:place*/,
    x.seqno + 1,
    l.name,
    l."unique",
    l.partial,
    x.name
FROM pragma_index_list(/*:name*/, /*:schema*/) AS l, pragma_index_xinfo(l.name, /*:schema*/) AS x
WHERE x.key = 1
UNION ALL
SELECT
    /*:place*/,
    c.pk,
    '(primary key)',
    1,
    0,
    c.name
FROM pragma_table_xinfo(/*:name*/, /*:schema*/) AS c
WHERE c.pk > 0
