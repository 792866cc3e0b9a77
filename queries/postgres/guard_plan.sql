-- How would the server carry out a statement, and does it read a whole table for that?
-- Wants no index: nothing is read.
-- Row: the plan as JSON.
EXPLAIN (FORMAT JSON)
/*:statement*/
