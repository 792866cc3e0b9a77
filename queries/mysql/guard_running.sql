-- How many statements run on the server, this one among them?
-- Wants no index: it reads the server's own counters.
-- Row: the counter's name, its value.
SHOW GLOBAL STATUS LIKE 'Threads_running'
