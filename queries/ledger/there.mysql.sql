-- Has the ledger been made in this database?
-- Row: 1 where it has.
SELECT COUNT(*)
FROM information_schema.tables
WHERE table_schema = DATABASE() AND table_name = 'msgrecon_runs'
