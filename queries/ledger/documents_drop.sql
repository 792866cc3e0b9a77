-- Forgets the reports of runs.
-- Wants the primary key.
DELETE FROM msgrecon_documents
WHERE run IN (/*:list*/)
