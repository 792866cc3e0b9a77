-- What does SQLite say of the session?
-- Row: setting's name, its value.
SELECT 'read_only', query_only
FROM pragma_query_only
