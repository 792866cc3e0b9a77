-- The ledger's first schema, for PostgreSQL. Times are microseconds since 1970 in UTC; yes and no are 1 and 0.
-- Texts are compared byte by byte, as everywhere in msgrecon. Forward only: later versions add files, none changes this one.

-- Where each flow's scheduled runs began, and up to where every window was judged.
CREATE TABLE IF NOT EXISTS msgrecon_flows (
    flow TEXT COLLATE "C" NOT NULL,
    begin_at BIGINT NOT NULL,
    asked_start BIGINT, -- the start that was last asked for
    watermark BIGINT NOT NULL, -- every window from begin_at up to here was judged
    PRIMARY KEY (flow)
);

-- Who may write to a flow. The token grows with every holder, so that a late one is found out.
CREATE TABLE IF NOT EXISTS msgrecon_leases (
    flow TEXT COLLATE "C" NOT NULL,
    holder TEXT COLLATE "C", -- a run, or nobody
    token BIGINT NOT NULL,
    beat_at BIGINT NOT NULL, -- by this server's clock
    PRIMARY KEY (flow)
);

-- Every run that was begun.
CREATE TABLE IF NOT EXISTS msgrecon_runs (
    run TEXT COLLATE "C" NOT NULL,
    as_of BIGINT NOT NULL,
    started_at BIGINT NOT NULL,
    finished_at BIGINT,
    version TEXT COLLATE "C" NOT NULL,
    scheduled BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL, -- running, finished, killed
    span_from BIGINT,
    span_until BIGINT,
    outcome TEXT COLLATE "C",
    verdict TEXT COLLATE "C",
    complete BIGINT,
    exit_code BIGINT,
    differences BIGINT,
    PRIMARY KEY (run)
);
CREATE INDEX IF NOT EXISTS msgrecon_runs_started ON msgrecon_runs (started_at);

-- What each run came to in each of its flows.
CREATE TABLE IF NOT EXISTS msgrecon_run_flows (
    run TEXT COLLATE "C" NOT NULL,
    flow TEXT COLLATE "C" NOT NULL,
    as_of BIGINT NOT NULL,
    scheduled BIGINT NOT NULL,
    finished BIGINT NOT NULL,
    windows BIGINT NOT NULL,
    outcome TEXT COLLATE "C",
    verdict TEXT COLLATE "C",
    differences BIGINT,
    opened BIGINT,
    resolved BIGINT,
    PRIMARY KEY (run, flow)
);
CREATE INDEX IF NOT EXISTS msgrecon_run_flows_flow ON msgrecon_run_flows (flow, finished, as_of);

-- The finished reports, compressed, in pieces that every server takes.
CREATE TABLE IF NOT EXISTS msgrecon_documents (
    run TEXT COLLATE "C" NOT NULL,
    part BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (run, part)
);

-- What runs have judged and not reported yet: the next run goes on from here.
CREATE TABLE IF NOT EXISTS msgrecon_slices (
    flow TEXT COLLATE "C" NOT NULL,
    from_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    part BIGINT NOT NULL,
    as_of BIGINT NOT NULL,
    body BYTEA NOT NULL,
    PRIMARY KEY (flow, from_at, part)
);

-- The windows that were judged.
CREATE TABLE IF NOT EXISTS msgrecon_windows (
    flow TEXT COLLATE "C" NOT NULL,
    from_at BIGINT NOT NULL,
    until_at BIGINT NOT NULL,
    state TEXT COLLATE "C" NOT NULL, -- judged, final
    as_of BIGINT NOT NULL, -- of the run that judged it last
    first_as_of BIGINT NOT NULL, -- of the run that judged it first
    lapsed BIGINT NOT NULL, -- judged as far as it ever can be
    stale BIGINT NOT NULL, -- a difference in it has changed since
    acked BIGINT NOT NULL,
    lost BIGINT NOT NULL,
    other BIGINT NOT NULL,
    counts TEXT NOT NULL, -- JSON: the producer's and each consumer's
    PRIMARY KEY (flow, from_at)
);
CREATE INDEX IF NOT EXISTS msgrecon_windows_stale ON msgrecon_windows (flow, stale);

-- Every difference ever seen, one row for each message at each consumer.
CREATE TABLE IF NOT EXISTS msgrecon_differences (
    flow TEXT COLLATE "C" NOT NULL,
    consumer TEXT COLLATE "C" NOT NULL, -- empty: the producer alone
    id_key BYTEA NOT NULL, -- the id, or of a long one its beginning and a digest
    id BYTEA NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    state TEXT COLLATE "C" NOT NULL, -- open, resolved, expired
    window_from BIGINT,
    home_at BIGINT, -- what its age counts from
    created_at BIGINT,
    acked_at BIGINT,
    consumed_at BIGINT,
    detail TEXT NOT NULL,
    first_seen BIGINT NOT NULL,
    last_seen BIGINT NOT NULL,
    times_seen BIGINT NOT NULL,
    checked_at BIGINT NOT NULL,
    found_late BIGINT NOT NULL, -- its window had been judged without it
    ack_until BIGINT,
    ack_reason TEXT,
    resolved_at BIGINT,
    resolution TEXT,
    history TEXT NOT NULL, -- JSON: when it became what
    PRIMARY KEY (flow, consumer, id_key)
);
CREATE INDEX IF NOT EXISTS msgrecon_differences_open ON msgrecon_differences (flow, state, window_from);
CREATE INDEX IF NOT EXISTS msgrecon_differences_resolved ON msgrecon_differences (flow, resolved_at);
