-- After how many milliseconds does the server cancel a statement of this account? 0: never.
-- Row: milliseconds.
SELECT setting::bigint
FROM pg_settings
WHERE name = 'statement_timeout'
