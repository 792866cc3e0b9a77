-- What do the digests of the ids of receipts within a span add up to, bucket by bucket?
-- Wants an index on the time of consumption, or on the consumer and that time.
-- Subqueries end in OFFSET 0 so that each digest is made once; sums are exact and come modulo 2^64.
-- Row: bucket * 2^40 + number of ids, sum of the digests' first halves, sum of their last halves.
SELECT
    bucket * 1099511627776 + COUNT(*),
    ((SUM(high) % 18446744073709551616 + 27670116110564327424) % 18446744073709551616 - 9223372036854775808)::bigint,
    ((SUM(low) % 18446744073709551616 + 27670116110564327424) % 18446744073709551616 - 9223372036854775808)::bigint
FROM (
    SELECT
        high & /*:mask*/ AS bucket,
        high,
        low
    FROM (
        SELECT
            ('x' || left(md5, 16))::bit(64)::bigint AS high,
            ('x' || right(md5, 16))::bit(64)::bigint AS low
        FROM (
            SELECT /*:md5*/ AS md5
            FROM /*:table*/
            WHERE /*:consumed_within*/
              AND /*:consumer*/
              AND /*:filter*/
              AND /*:picked*/
            OFFSET 0
        ) AS digests
        OFFSET 0
    ) AS halves
) AS ids
WHERE bucket IS NOT NULL
GROUP BY bucket
