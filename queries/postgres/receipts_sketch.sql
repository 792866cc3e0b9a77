-- What do the digests of the ids of receipts within a span add up to, bucket by bucket?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- OFFSET 0 sees to it that each digest and each word of one is made once; sums are exact and come modulo 2^64.
-- Row: bucket * 2^40 + number of ids, sum of the digests' last 64 bits.
SELECT
    bucket * 1099511627776 + COUNT(*),
    ((SUM(word) % 18446744073709551616 + 27670116110564327424) % 18446744073709551616 - 9223372036854775808)::bigint
FROM (
    SELECT word & /*:mask*/ AS bucket, word
    FROM (
        SELECT /*:word*/ AS word
        FROM (
            SELECT /*:digest*/ AS digest
            FROM /*:table*/
            WHERE /*:consumed_within*/
              AND /*:consumer*/
              AND /*:filter*/
              AND /*:picked*/
            OFFSET 0
        ) AS digests
        OFFSET 0
    ) AS words
) AS ids
GROUP BY bucket
