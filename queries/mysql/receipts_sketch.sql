-- What do the digests of the ids of receipts within a span add up to, bucket by bucket?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- The innermost query has a limit so that each digest is made once. Sums of unsigned numbers are decimals here, and so
-- exact; they come modulo 2^64.
-- Row: bucket * 2^40 + number of ids, sum of the digests' last 64 bits.
SELECT
    bucket * 1099511627776 + COUNT(*),
    CAST(SUM(word) MOD 18446744073709551616 AS UNSIGNED)
FROM (
    SELECT word & /*:mask*/ AS bucket, word
    FROM (
        SELECT /*:word*/ AS word
        FROM /*:table*/
        WHERE /*:consumed_within*/
          AND /*:consumer*/
          AND /*:filter*/
          AND /*:picked*/
        LIMIT 18446744073709551615
    ) AS words
) AS ids
GROUP BY bucket
