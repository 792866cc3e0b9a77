-- Which flows has any run ever worked on, and who holds them?
-- Wants no index: there are few.
-- Row: flow, holder, last heartbeat.
SELECT flow, holder, beat_at
FROM msgrecon_leases
ORDER BY flow
