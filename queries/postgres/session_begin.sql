-- Makes the session read-only, puts it into UTC, limits its statements, and keeps each of them to one of the server's cores.
-- The 8 MB that are made and dropped again let its process keep so much: else it would get memory from the system for each
-- long answer and give it back behind it, which takes as long as a quarter of the reading.
SELECT
    set_config('default_transaction_read_only', 'on', false),
    set_config('TimeZone', 'UTC', false),
    set_config('max_parallel_workers_per_gather', '0', false),
    set_config('statement_timeout', /*:milliseconds*/, false),
    octet_length(repeat(repeat(' ', 8192), 1024))
