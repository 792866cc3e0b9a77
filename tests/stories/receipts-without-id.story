# NULL in the dedup table hides nothing.
day 2026-03-02
event   a  acked  10:00:00  10:00:00
event   b  acked  10:01:00  10:01:00
receipt a  billing  10:00:01
receipt -  billing  10:03:00
receipt -  billing  10:03:00
receipt a  mailer   10:00:01
receipt b  mailer   10:01:01
want    a  billing  ok
want    b  billing  missing
want    a  mailer   ok
want    b  mailer   ok
