-- Drops what a target was to be told and is told anew by a later run.
-- Wants (target, as_of).
UPDATE msgrecon_deliveries
SET state = 'dropped', problem = 'a later run has told it anew'
WHERE target = ? AND as_of <= ? AND state = 'waiting' AND flow = ?
