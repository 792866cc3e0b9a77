-- From where on does the ledger judge a flow, and up to where has it?
-- Wants the primary key.
-- Row: begin, the start last asked for, watermark.
SELECT begin_at, asked_start, watermark
FROM msgrecon_flows
WHERE flow = ?
