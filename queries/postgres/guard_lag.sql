-- How far is this standby behind?
-- One that has replayed everything that it received, and still receives, is not behind, however old the last change is.
-- Wants no index: it asks the server for its own state.
-- Row: seconds, NULL where nothing was replayed yet; no row where the server is no standby.
SELECT
    CASE
        WHEN pg_last_wal_receive_lsn() = pg_last_wal_replay_lsn()
            AND EXISTS (SELECT 1 FROM pg_stat_wal_receiver) THEN 0
        ELSE extract(epoch FROM clock_timestamp() - pg_last_xact_replay_timestamp())::float8
    END AS seconds
WHERE pg_is_in_recovery()
