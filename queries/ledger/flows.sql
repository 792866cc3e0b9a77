-- Which flows does the ledger know?
-- Wants no index: there are few.
-- Row: flow, begin, watermark.
SELECT flow, begin_at, watermark
FROM msgrecon_flows
ORDER BY flow
