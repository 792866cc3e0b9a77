-- Forgets differences that healed or were given up before an instant, and late ones last seen before it.
-- Wants (flow, resolved_at).
DELETE FROM msgrecon_differences
WHERE flow = ? AND state <> 'open' AND last_seen < ? AND (resolved_at IS NULL OR resolved_at < ?)
