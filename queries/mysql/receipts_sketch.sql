-- What do the digests of the ids of receipts within a span add up to, bucket by bucket?
-- Wants an index on the time of consumption, or on the consumer and that time.
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
        WHERE /*:consumed_within*/
          AND /*:consumer*/
          AND /*:filter*/
          AND /*:picked*/
    ) AS digests
) AS ids
GROUP BY bucket
