# The plain good case, and receipts whose clock is behind: they match all the same.
day 2026-03-02
event   a1  acked  10:00:00  10:00:01
receipt a1  billing  10:00:02
receipt a1  mailer   10:00:02.250
want    a1  billing  ok
want    a1  mailer   ok
event   skewed  acked  10:00:05  10:00:05
receipt skewed  billing  10:00:03
receipt skewed  mailer   09:55:05
want    skewed  billing  ok
want    skewed  mailer   ok
event   skewed-a-little  acked  10:00:00  10:00:00.000017
receipt skewed-a-little  billing  10:00:00
receipt skewed-a-little  mailer   10:00:00.000016
want    skewed-a-little  billing  ok
want    skewed-a-little  mailer   ok
# Acked, but the table has no ack time: placed by its creation, and never late.
event   no-ack-time  acked  11:00:00  -
receipt no-ack-time  billing  11:00:01
receipt no-ack-time  mailer   17:00:00
want    no-ack-time  billing  ok
want    no-ack-time  mailer   ok
# No creation time.
event   no-creation  acked  -  12:00:00
receipt no-creation  billing  12:00:01
receipt no-creation  mailer   12:00:01
want    no-creation  billing  ok
want    no-creation  mailer   ok
