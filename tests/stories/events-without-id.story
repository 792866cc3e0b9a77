# A row whose id is NULL names no message; the others are judged.
day 2026-03-02
event   -   acked  10:00:00  10:00:00
event   -   pending  10:00:00  -
event   a   acked  10:01:00  10:01:00
receipt a   billing  10:01:01
want    a   billing  ok
want    a   mailer   missing
# An empty id is an id.
event   ""  acked  10:02:00  10:02:00
receipt ""  billing  10:02:01
receipt -   billing  10:03:00
want    ""  billing  ok
want    ""  mailer   missing
