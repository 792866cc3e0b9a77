-- What does the server say of the session?
-- Row: setting's name (two spellings, by the server's version), its value.
SHOW SESSION VARIABLES WHERE Variable_name IN ('transaction_read_only', 'tx_read_only', 'time_zone')
