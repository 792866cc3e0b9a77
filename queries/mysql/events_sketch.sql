-- What do the digests of the ids of confirmed events within a span add up to, bucket by bucket?
-- Wants an index on the ack time, best with the id behind it: the column is compared as it stands.
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
        WHERE /*:acked_within*/
          AND /*:acked_usable*/
          AND /*:filter*/
          AND /*:picked*/
        LIMIT 18446744073709551615
    ) AS words
) AS ids
GROUP BY bucket
