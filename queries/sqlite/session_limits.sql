-- After how many milliseconds is a statement cancelled? SQLite knows no such limit.
-- Row: milliseconds.
SELECT 0
