-- What do the digests of the ids of confirmed events within a span add up to, bucket by bucket?
-- Wants an index on the ack time, best with the id behind it: the column is compared as it stands.
-- Sums of unsigned numbers are decimals here, and so exact; they come modulo 2^64.
-- Row: bucket * 2^40 + number of ids, sum of the digests' first halves, sum of their last halves.
SELECT
    bucket * 1099511627776 + COUNT(*),
    CAST(SUM(high) MOD 18446744073709551616 AS UNSIGNED),
    CAST(SUM(low) MOD 18446744073709551616 AS UNSIGNED)
FROM (
    SELECT
        high & /*:mask*/ AS bucket,
        high,
        low
    FROM (
        SELECT
            CAST(CONV(LEFT(md5, 16), 16, 10) AS UNSIGNED) AS high,
            CAST(CONV(RIGHT(md5, 16), 16, 10) AS UNSIGNED) AS low
        FROM (
            SELECT /*:md5*/ AS md5
            FROM /*:table*/
            WHERE /*:acked_within*/
              AND /*:acked_usable*/
              AND /*:filter*/
              AND /*:picked*/
        ) AS digests
    ) AS halves
) AS ids
WHERE bucket IS NOT NULL
GROUP BY bucket
