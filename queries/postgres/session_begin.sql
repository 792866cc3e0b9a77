-- Makes the session read-only, puts it into UTC and limits its statements.
SELECT
    set_config('default_transaction_read_only', 'on', false),
    set_config('TimeZone', 'UTC', false),
    set_config('statement_timeout', /*:milliseconds*/, false)
