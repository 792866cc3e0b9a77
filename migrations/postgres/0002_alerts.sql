-- Alerts and their life, what is to be told of them, and since when a difference is what it is.
-- Forward only: later versions add files, none changes this one.

-- Metrics over their bounds, and those that were and are well again.
CREATE TABLE IF NOT EXISTS msgrecon_alerts (
    flow TEXT NOT NULL,
    consumer TEXT NOT NULL, -- empty: the producer alone, or the flow as a whole
    metric TEXT NOT NULL,
    state TEXT NOT NULL, -- pending, firing, cleared
    body TEXT NOT NULL, -- JSON: everything about it
    PRIMARY KEY (flow, consumer, metric)
);

-- What is to be told to whom: written before it is sent.
CREATE TABLE IF NOT EXISTS msgrecon_deliveries (
    delivery TEXT NOT NULL, -- the same for the same state
    target TEXT NOT NULL,
    flow TEXT NOT NULL, -- the first one of the digest: whoever holds it sends
    run TEXT NOT NULL,
    as_of BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    state TEXT NOT NULL, -- waiting, sent, dropped
    attempts BIGINT NOT NULL,
    tried_at BIGINT,
    problem TEXT,
    body TEXT NOT NULL, -- JSON: the digest
    PRIMARY KEY (delivery)
);
CREATE INDEX IF NOT EXISTS msgrecon_deliveries_state ON msgrecon_deliveries (state, flow);
CREATE INDEX IF NOT EXISTS msgrecon_deliveries_target ON msgrecon_deliveries (target, as_of);

-- As-of of the run in which a difference became of its kind; 0 where that was before this column.
ALTER TABLE msgrecon_differences ADD COLUMN IF NOT EXISTS kind_since BIGINT NOT NULL DEFAULT 0;
