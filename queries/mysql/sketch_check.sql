-- Does this server make the digests of some known ids as they are made here?
-- Wants no index: it reads no table.
-- Row: the id's place, the digest's first four bytes, its last half.
SELECT
    place,
    CAST(CONV(LEFT(md5, 8), 16, 10) AS UNSIGNED),
    CAST(CONV(RIGHT(md5, 16), 16, 10) AS UNSIGNED)
FROM (
    SELECT place, /*:md5*/ AS md5
    FROM (
        /*:values*/
    ) AS known
) AS digests
