-- Alerts and their life, what is to be told of them, and since when a difference is what it is.
-- Statements here commit one by one, so each can be run again. Forward only: later versions add files, none changes this one.

-- Metrics over their bounds, and those that were and are well again.
CREATE TABLE IF NOT EXISTS msgrecon_alerts (
    flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    consumer VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- empty: the producer alone, or the flow as a whole
    metric VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    state VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- pending, firing, cleared
    body LONGTEXT CHARACTER SET utf8mb4 NOT NULL, -- JSON: everything about it
    PRIMARY KEY (flow, consumer, metric)
) ENGINE = InnoDB;

-- What is to be told to whom: written before it is sent.
CREATE TABLE IF NOT EXISTS msgrecon_deliveries (
    delivery VARCHAR(100) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- the same for the same state
    target VARCHAR(300) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, -- the first one of the digest: whoever holds it sends
    run VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    as_of BIGINT NOT NULL,
    created_at BIGINT NOT NULL,
    state VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, -- waiting, sent, dropped
    attempts BIGINT NOT NULL,
    tried_at BIGINT,
    problem TEXT CHARACTER SET utf8mb4,
    body LONGTEXT CHARACTER SET utf8mb4 NOT NULL, -- JSON: the digest
    PRIMARY KEY (delivery),
    INDEX msgrecon_deliveries_state (state, flow(150)),
    INDEX msgrecon_deliveries_target (target(150), as_of)
) ENGINE = InnoDB;

-- As-of of the run in which a difference became of its kind; 0 where that was before this column. MySQL adds no column
-- on condition, and this may have been done before the migration was noted as done.
SET @msgrecon_step = IF(
    EXISTS (
        SELECT 1 FROM information_schema.columns
        WHERE table_schema = DATABASE() AND table_name = 'msgrecon_differences' AND column_name = 'kind_since'
    ),
    'DO 0',
    'ALTER TABLE msgrecon_differences ADD COLUMN kind_since BIGINT NOT NULL DEFAULT 0'
);
PREPARE msgrecon_step FROM @msgrecon_step;
EXECUTE msgrecon_step;
DEALLOCATE PREPARE msgrecon_step;

-- Names may have 250 characters, where they had 200.
ALTER TABLE msgrecon_flows MODIFY flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
ALTER TABLE msgrecon_leases MODIFY flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
ALTER TABLE msgrecon_run_flows MODIFY flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
ALTER TABLE msgrecon_slices MODIFY flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
ALTER TABLE msgrecon_windows MODIFY flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
ALTER TABLE msgrecon_differences MODIFY flow VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL, MODIFY consumer VARCHAR(250) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL;
