-- Lets the session's process keep memory for long answers: without it, it gets what each of them takes from the system and
-- gives it back behind it, which takes as long as a quarter of the reading. What is made and dropped here makes it keep twice
-- as much (glibc's mallopt, M_TRIM_THRESHOLD).
-- Row: bytes.
SELECT octet_length(repeat(repeat(' ', 8192), 1024))
