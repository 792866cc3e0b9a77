-- Makes the session read-only, puts it into UTC, limits its statements and lets values be long enough for a slice's ids.
-- Servers cut longer values off (at 1 KiB or 1 MiB if nobody asks); the answers are counted.
SET SESSION TRANSACTION READ ONLY;
SET SESSION time_zone = '+00:00';
SET SESSION group_concat_max_len = 8388608;
/*:limit*/
