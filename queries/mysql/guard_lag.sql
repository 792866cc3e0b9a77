-- How far is this replica behind?
-- Wants no index: it asks the server for its own state.
-- Row: everything that the server says of its replication, among it Seconds_Behind_Source or Seconds_Behind_Master; one
-- for each source, and none where the server is no replica.
SHOW /*:role*/ STATUS
