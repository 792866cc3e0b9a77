-- Makes the session read-only, beside the read-only mode in which the file was opened.
PRAGMA query_only = ON
