-- Takes out differences that are written anew.
-- Wants the primary key.
DELETE FROM msgrecon_differences
WHERE flow = ? AND consumer = ? AND id_key IN (/*:list*/)
