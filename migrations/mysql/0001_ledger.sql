-- The ledger's first schema, for MySQL and MariaDB. Times are microseconds since 1970 in UTC; yes and no are 1 and 0.
-- Statements here commit one by one, so each can be run again. Forward only: later versions add files, none changes this one.

-- Where each flow's scheduled runs began, and up to where every window was judged.
CREATE TABLE IF NOT EXISTS msgrecon_flows (
    flow VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    begin_at BIGINT NOT NULL,
    asked_start BIGINT, -- the start that was last asked for
    watermark BIGINT NOT NULL, -- every window from begin_at up to here was judged
    PRIMARY KEY (flow)
) ENGINE = InnoDB;

-- Who may write to a flow. The token grows with every holder, so that a late one is found out.
CREATE TABLE IF NOT EXISTS msgrecon_leases (
    flow VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    holder VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin, -- a run, or nobody
    token BIGINT NOT NULL,
    beat_at BIGINT NOT NULL, -- by this server's clock
    PRIMARY KEY (flow)
) ENGINE = InnoDB;

-- Every run that was begun.
CREATE TABLE IF NOT EXISTS msgrecon_runs (
    run VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    as_of BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT,
    version VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    scheduled BIGINT NOT NULL,
    state VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- running, finished, killed
    span_from BIGINT,
    span_until BIGINT,
    outcome VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    verdict VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    complete BIGINT,
    exit_code BIGINT,
    differences BIGINT,
    PRIMARY KEY (run),
    INDEX msgrecon_runs_started (started_at)
) ENGINE = InnoDB;

-- What each run came to in each of its flows.
CREATE TABLE IF NOT EXISTS msgrecon_run_flows (
    run VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    flow VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    as_of BIGINT NOT NULL,
    scheduled BIGINT NOT NULL,
    finished BIGINT NOT NULL,
    windows BIGINT NOT NULL,
    outcome VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    verdict VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin,
    differences BIGINT,
    opened BIGINT,
    resolved BIGINT,
    PRIMARY KEY (run, flow),
    INDEX msgrecon_run_flows_flow (flow, finished, as_of)
) ENGINE = InnoDB;

-- The finished reports, compressed, in pieces that every server takes.
CREATE TABLE IF NOT EXISTS msgrecon_documents (
    run VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    part BIGINT NOT NULL,
    body MEDIUMBLOB NOT NULL,
    PRIMARY KEY (run, part)
) ENGINE = InnoDB;

-- What runs have judged and not reported yet: the next run goes on from here.
CREATE TABLE IF NOT EXISTS msgrecon_slices (
    flow VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    from_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    part BIGINT NOT NULL,
    as_of BIGINT NOT NULL,
    body MEDIUMBLOB NOT NULL,
    PRIMARY KEY (flow, from_at, part)
) ENGINE = InnoDB;

-- The windows that were judged.
CREATE TABLE IF NOT EXISTS msgrecon_windows (
    flow VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    from_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    state VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- judged, final
    as_of BIGINT NOT NULL, -- of the run that judged it last
    first_as_of BIGINT NOT NULL, -- of the run that judged it first
    lapsed BIGINT NOT NULL, -- judged as far as it ever can be
    stale BIGINT NOT NULL, -- a difference in it has changed since
    acked BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    other BIGINT NOT NULL,
    counts MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- JSON: the producer's and each consumer's
    PRIMARY KEY (flow, from_at),
    INDEX msgrecon_windows_stale (flow, stale)
) ENGINE = InnoDB;

-- Every difference ever seen, one row for each message at each consumer.
CREATE TABLE IF NOT EXISTS msgrecon_differences (
    flow VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    consumer VARCHAR(200) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- empty: the producer alone
    id_key VARBINARY(255) NOT NULL, -- the id, or of a long one its beginning and a digest
    id MEDIUMBLOB NOT NULL,
    kind VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- open, resolved, expired
    window_from BIGINT,
    home_at BIGINT, -- what its age counts from
    created_at BIGINT,
    acked_at BIGINT,
    consumed_at BIGINT,
    detail MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    times_seen BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    found_late BIGINT NOT NULL, -- its window had been judged without it
    ack_until BIGINT,
    ack_reason MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    resolved_at BIGINT,
    resolution MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin,
    history MEDIUMTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- JSON: when it became what
    PRIMARY KEY (flow, consumer, id_key),
    INDEX msgrecon_differences_open (flow, state, window_from),
    INDEX msgrecon_differences_resolved (flow, resolved_at)
) ENGINE = InnoDB;
