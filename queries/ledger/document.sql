-- What are the pieces of a report?
-- Wants the primary key.
-- Row: body.
SELECT body
FROM msgrecon_documents
WHERE run = ?
ORDER BY part
