-- How far is this replica behind?
-- A file replicates nothing: the configuration gives a query of its own in the place of this one.
-- Row: NULL.
SELECT NULL AS seconds
