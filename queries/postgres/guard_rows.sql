-- About how many rows does the table have?
-- Wants no index: nothing is read, the planner says what it believes.
-- Row: the plan as JSON.
EXPLAIN (FORMAT JSON)
SELECT 1 FROM /*:table*/
