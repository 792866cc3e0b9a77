-- Do these columns and conditions exist, of what types are they, and what do some rows hold?
-- Wants no index: it takes the first rows that come.
-- Row: one column for each expression that was asked about.
SELECT
    /*:expressions*/
FROM /*:table*/
LIMIT /*:limit*/
