-- Makes the session read-only, puts it into UTC and limits its statements.
SET SESSION TRANSACTION READ ONLY;
SET SESSION time_zone = '+00:00';
/*:limit*/
