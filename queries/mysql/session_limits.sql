-- After how long does the server cancel a statement of this account? 0: never.
-- Row: setting's name (MySQL counts milliseconds, MariaDB seconds), its value.
SHOW SESSION VARIABLES WHERE Variable_name IN ('max_execution_time', 'max_statement_time')
