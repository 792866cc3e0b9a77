# Ids that a database's collation, a UUID type or a Unicode normal form would take for the same are not the same.
day 2026-03-02
event   api_4qD329  acked  10:00:00  10:00:00
event   api_4qd329  acked  10:01:00  10:01:00
receipt api_4qD329  billing  10:00:01
receipt api_4qD329  mailer   10:00:01
receipt api_4qd329  mailer   10:01:01
want    api_4qD329  billing  ok
want    api_4qD329  mailer   ok
want    api_4qd329  billing  missing
want    api_4qd329  mailer   ok
event   6CCD780C-BABA-1026-9564-5B8C656024DB  acked  11:00:00  11:00:00
receipt 6ccd780c-baba-1026-9564-5b8c656024db  billing  11:00:01
receipt 6CCD780C-BABA-1026-9564-5B8C656024DB  mailer   11:00:01
want    6CCD780C-BABA-1026-9564-5B8C656024DB  billing  missing
want    6ccd780c-baba-1026-9564-5b8c656024db  billing  orphan
want    6CCD780C-BABA-1026-9564-5B8C656024DB  mailer   ok
event   "caf\u00e9-1"   acked  12:00:00  12:00:00
receipt "cafe\u0301-1"  billing  12:00:01
receipt "caf\u00e9-1"   mailer   12:00:01
want    "caf\u00e9-1"   billing  missing
want    "cafe\u0301-1"  billing  orphan
want    "caf\u00e9-1"   mailer   ok
event   "straße"   acked  13:00:00  13:00:00
event   "strasse"  acked  13:00:00  13:00:00
receipt "straße"   billing  13:00:01
receipt "strasse"  mailer   13:00:01
want    "straße"   billing  ok
want    "straße"   mailer   missing
want    "strasse"  billing  missing
want    "strasse"  mailer   ok
