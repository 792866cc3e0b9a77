-- Is there a row whose time lies in one of these spans?
-- Never asked: here a date without a month or a day is text like any other, and read as such.
-- Row: none.
SELECT 1
WHERE 1 = 0
