-- About how many rows does the table have?
-- Wants no index: nothing is read, the optimizer says what it believes.
-- Row: the plan; `rows` is the number.
EXPLAIN
SELECT 1 FROM /*:table*/
