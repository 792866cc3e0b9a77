-- Lets the session keep memory for long answers; SQLite's answers lie in our own.
-- Row: bytes.
SELECT 0
