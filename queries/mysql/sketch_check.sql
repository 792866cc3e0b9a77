-- Does this server make the digests of some known ids as they are made here?
-- Wants no index: it reads no table.
-- Row: the id's place, the digest's last 64 bits.
SELECT place, /*:word*/
FROM (
    /*:values*/
) AS known
