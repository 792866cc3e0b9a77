-- Forgets all slices of a flow, since they are reported.
-- Wants the primary key.
DELETE FROM msgrecon_slices
WHERE flow = ?
