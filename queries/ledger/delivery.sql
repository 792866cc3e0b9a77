-- Is this kept to be told, or told already?
-- Wants the primary key.
-- Row: state.
SELECT state
FROM msgrecon_deliveries
WHERE delivery = ?
