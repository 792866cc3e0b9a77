-- How many statements of others run on the server?
-- Sessions of this account, name and machine are this program's own. What others do is hidden from an account without
-- pg_read_all_stats; it must not count as nothing.
-- Wants no index: it reads the server's own list of sessions.
-- Row: statements that run, sessions that are hidden.
SELECT
    count(*) FILTER (
        WHERE a.state = 'active'
          AND a.backend_type = 'client backend'
          AND NOT (
              a.usename = current_user
              AND a.application_name = current_setting('application_name')
              AND a.client_addr IS NOT DISTINCT FROM inet_client_addr()
          )
    ) AS value,
    count(*) FILTER (WHERE a.query = '<insufficient privilege>' AND a.usesysid IS NOT NULL) AS hidden
FROM pg_stat_activity AS a
