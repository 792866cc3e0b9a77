-- Makes the session read-only, puts it into UTC, limits its statements, and keeps each of them to one of the server's cores.
SELECT
    set_config('default_transaction_read_only', 'on', false),
    set_config('TimeZone', 'UTC', false),
    set_config('max_parallel_workers_per_gather', '0', false),
    set_config('statement_timeout', /*:milliseconds*/, false)
