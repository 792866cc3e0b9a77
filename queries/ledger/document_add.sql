-- Keeps a piece of a report.
-- Wants the primary key.
INSERT INTO msgrecon_documents (run, part, body)
VALUES (?, ?, ?)
