-- Keeps a piece of what was judged and not reported yet.
-- Wants the primary key.
INSERT INTO msgrecon_slices (flow, from_at, until_at, part, as_of, body)
VALUES (?, ?, ?, ?, ?, ?)
