-- The ledger's first schema, for SQLite. Times are microseconds since 1970 in UTC; yes and no are 1 and 0.
-- Forward only: later versions add files, none changes this one.

-- Where each flow's scheduled runs began, and up to where every window was judged.
CREATE TABLE IF NOT EXISTS msgrecon_flows (
    flow TEXT NOT NULL,
    begin_at INTEGER NOT NULL,
    asked_start INTEGER, -- the start that was last asked for
    watermark INTEGER NOT NULL, -- every window from begin_at up to here was judged
    PRIMARY KEY (flow)
) WITHOUT ROWID;

-- Who may write to a flow. The token grows with every holder, so that a late one is found out.
CREATE TABLE IF NOT EXISTS msgrecon_leases (
    flow TEXT NOT NULL,
    holder TEXT, -- a run, or nobody
    token INTEGER NOT NULL,
    beat_at INTEGER NOT NULL, -- by this server's clock
    PRIMARY KEY (flow)
) WITHOUT ROWID;

-- Every run that was begun.
CREATE TABLE IF NOT EXISTS msgrecon_runs (
    run TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    started_at INTEGER NOT NULL,
    finished_at INTEGER,
    version TEXT NOT NULL,
    scheduled INTEGER NOT NULL,
    state TEXT NOT NULL, -- running, finished, killed
    span_from INTEGER,
    span_until INTEGER,
    outcome TEXT,
    verdict TEXT,
    complete INTEGER,
    exit_code INTEGER,
    differences INTEGER,
    PRIMARY KEY (run)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS msgrecon_runs_started ON msgrecon_runs (started_at);

-- What each run came to in each of its flows.
CREATE TABLE IF NOT EXISTS msgrecon_run_flows (
    run TEXT NOT NULL,
    flow TEXT NOT NULL,
    as_of INTEGER NOT NULL,
    scheduled INTEGER NOT NULL,
    finished INTEGER NOT NULL,
    windows INTEGER NOT NULL,
    outcome TEXT,
    verdict TEXT,
    differences INTEGER,
    opened INTEGER,
    resolved INTEGER,
    PRIMARY KEY (run, flow)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS msgrecon_run_flows_flow ON msgrecon_run_flows (flow, finished, as_of);

-- The finished reports, compressed, in pieces that every server takes.
CREATE TABLE IF NOT EXISTS msgrecon_documents (
    run TEXT NOT NULL,
    part INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (run, part)
);

-- What runs have judged and not reported yet: the next run goes on from here.
CREATE TABLE IF NOT EXISTS msgrecon_slices (
    flow TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    part INTEGER NOT NULL,
    as_of INTEGER NOT NULL,
    body BLOB NOT NULL,
    PRIMARY KEY (flow, from_at, part)
);

-- The windows that were judged.
CREATE TABLE IF NOT EXISTS msgrecon_windows (
    flow TEXT NOT NULL,
    from_at INTEGER NOT NULL,
    until_at INTEGER NOT NULL,
    state TEXT NOT NULL, -- judged, final
    as_of INTEGER NOT NULL, -- of the run that judged it last
    first_as_of INTEGER NOT NULL, -- of the run that judged it first
    lapsed INTEGER NOT NULL, -- judged as far as it ever can be
    stale INTEGER NOT NULL, -- a difference in it has changed since
    acked INTEGER NOT NULL,
    lost INTEGER NOT NULL,
    other INTEGER NOT NULL,
    counts TEXT NOT NULL, -- JSON: the producer's and each consumer's
    PRIMARY KEY (flow, from_at)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS msgrecon_windows_stale ON msgrecon_windows (flow, stale);

-- Every difference ever seen, one row for each message at each consumer.
CREATE TABLE IF NOT EXISTS msgrecon_differences (
    flow TEXT NOT NULL,
    consumer TEXT NOT NULL, -- empty: the producer alone
    id_key BLOB NOT NULL, -- the id, or of a long one its beginning and a digest
    id BLOB NOT NULL,
    kind TEXT NOT NULL,
    state TEXT NOT NULL, -- open, resolved, expired
    window_from INTEGER,
    home_at INTEGER, -- what its age counts from
    created_at INTEGER,
    acked_at INTEGER,
    consumed_at INTEGER,
    detail TEXT NOT NULL,
    first_seen INTEGER NOT NULL,
    last_seen INTEGER NOT NULL,
    times_seen INTEGER NOT NULL,
    checked_at INTEGER NOT NULL,
    found_late INTEGER NOT NULL, -- its window had been judged without it
    ack_until INTEGER,
    ack_reason TEXT,
    resolved_at INTEGER,
    resolution TEXT,
    history TEXT NOT NULL, -- JSON: when it became what
    PRIMARY KEY (flow, consumer, id_key)
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS msgrecon_differences_open ON msgrecon_differences (flow, state, window_from);
CREATE INDEX IF NOT EXISTS msgrecon_differences_resolved ON msgrecon_differences (flow, resolved_at);
