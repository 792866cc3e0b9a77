-- How many statements of others run on the server?
-- There is no server to ask: the configuration gives a query of its own in the place of this one.
-- Row: NULL.
SELECT NULL AS value
