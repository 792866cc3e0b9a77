-- Is there a row whose time lies in one of these spans?
-- Never asked: PostgreSQL takes no dates without a month or a day.
-- Row: none.
SELECT 1
WHERE 1 = 0
