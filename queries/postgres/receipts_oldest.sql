-- When was the oldest receipt consumed? Asked only where an index leads with that time.
-- Row: consumed.
SELECT
    /*:consumed*/
FROM /*:table*/
WHERE /*:consumed_usable*/
ORDER BY /*:consumed_raw*/
LIMIT 1
