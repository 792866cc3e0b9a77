-- Has the ledger been made in this database?
-- Row: 1 where it has.
SELECT CASE WHEN to_regclass('msgrecon_runs') IS NULL THEN CAST(0 AS BIGINT) ELSE CAST(1 AS BIGINT) END
