# A receipt without a usable time proves consumption; it is never late, and no orphan of any day.
day 2026-03-02
event   a       acked    10:00:00  10:00:00
receipt a       billing  -
receipt a       mailer   1970-01-01T00:00:00Z
want    a       billing  ok
want    a       mailer   ok
event   waits   pending  10:00:00  -
receipt waits   billing  -
want    waits   billing  ack_lost
receipt nobody  billing  -
# Twice, and neither has a time.
event   twice   acked    10:00:00  10:00:00
receipt twice   billing  -
receipt twice   billing  -
receipt twice   mailer   10:00:01
want    twice   billing  duplicate
want    twice   mailer   ok
