-- Marks windows that must be judged again, if they were not judged at this as-of.
-- Wants the primary key.
UPDATE msgrecon_windows
SET stale = 1
WHERE flow = ? AND as_of < ? AND from_at IN (/*:list*/)
