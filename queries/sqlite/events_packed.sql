-- Which of the confirmed events of a span go into few bytes?
-- Never asked: SQLite knows no SHA-256 and lies on this machine, so that its rows are streamed and no link is spared.
-- Row: none.
SELECT NULL
WHERE 0 = 1
