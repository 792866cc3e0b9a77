-- Lets the session keep memory for long answers; MySQL's threads do so by themselves.
-- Row: bytes.
SELECT 0
