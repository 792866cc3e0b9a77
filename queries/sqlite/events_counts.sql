-- How many confirmed events can be added up in a window?
-- Never asked: SQLite knows no SHA-256 and lies on this machine, so that its rows are streamed and no link is spared.
-- Row: none.
SELECT NULL
WHERE 0 = 1
