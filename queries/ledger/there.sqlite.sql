-- Has the ledger been made in this database?
-- Row: 1 where it has.
SELECT COUNT(*)
FROM sqlite_master
WHERE type = 'table' AND name = 'msgrecon_runs'
