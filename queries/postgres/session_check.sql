-- What does the server say of the session?
-- Row: setting's name, its value.
SELECT 'read_only', current_setting('transaction_read_only')
UNION ALL
SELECT 'time_zone', current_setting('TimeZone')
