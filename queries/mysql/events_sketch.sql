-- What do the digests of the ids of confirmed events within a span add up to, bucket by bucket?
-- Wants an index on the ack time, best with the id behind it: the column is compared as it stands.
-- Sums of unsigned numbers are decimals here, and so exact; they come modulo 2^64.
-- Row: bucket * 2^40 + number of ids, sum of the digests' last halves.
SELECT
    bucket * 1099511627776 + COUNT(*),
    CAST(SUM(word) MOD 18446744073709551616 AS UNSIGNED)
FROM (
    SELECT
        CAST(CONV(LEFT(md5, 8), 16, 10) AS UNSIGNED) & /*:mask*/ AS bucket,
        CAST(CONV(RIGHT(md5, 16), 16, 10) AS UNSIGNED) AS word
    FROM (
        SELECT /*:md5*/ AS md5
        FROM /*:table*/
        WHERE /*:acked_within*/
          AND /*:acked_usable*/
          AND /*:filter*/
          AND /*:picked*/
    ) AS digests
) AS ids
GROUP BY bucket
