# Three events and three receipts, and yet one is lost and one was processed twice.
day 2026-03-02
event   a  acked  10:00:00  10:00:00
event   b  acked  10:01:00  10:01:00
event   c  acked  10:02:00  10:02:00
receipt a  billing  10:00:01
receipt b  billing  10:01:01
receipt b  billing  10:01:02
want    a  billing  ok
want    b  billing  duplicate
want    c  billing  missing
# One is lost and one is of nobody.
receipt a  mailer  10:00:01
receipt b  mailer  10:01:01
receipt x  mailer  10:02:01
want    a  mailer  ok
want    b  mailer  ok
want    c  mailer  missing
want    x  mailer  orphan
