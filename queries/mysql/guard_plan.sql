-- How would the server carry out a statement, and does it read a whole table for that?
-- Wants no index: nothing is read.
-- Row: a step of the plan; `type` says how a table is read.
EXPLAIN
/*:statement*/
