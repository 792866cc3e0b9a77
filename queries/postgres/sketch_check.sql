-- Does this server make the digests of some known ids as they are made here?
-- Wants no index: it reads no table.
-- Row: the id's place, the digest's first four bytes, its last half.
SELECT
    place,
    ('x' || left(md5, 8))::bit(32)::bigint,
    ('x' || right(md5, 16))::bit(64)::bigint
FROM (
    SELECT place, /*:md5*/ AS md5
    FROM (
        /*:values*/
    ) AS known (place, id)
) AS digests
