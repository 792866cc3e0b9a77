# The rows of one message lie on both sides of midnight: its best state is judged on its own day, once.
day 2026-03-02
event   sent-later    pending  23:00:00  -
event   sent-later    acked    23:00:00  2026-03-03T00:30:00Z
receipt sent-later    billing  2026-03-03T00:30:01Z
event   sent-before   acked    2026-03-01T23:00:00Z  2026-03-01T23:00:00Z
event   sent-before   failed   10:00:00  -
event   sent-before   pending  10:30:00  -
receipt sent-before   billing  10:30:01
event   sent-today    failed   2026-03-01T23:00:00Z  -
event   sent-today    acked    2026-03-01T23:00:00Z  00:10:00
event   sent-today    pending  2026-03-03T01:00:00Z  -
receipt sent-today    billing  00:10:01
want    sent-today    billing  ok
want    sent-today    mailer   missing
# Sent on three days: today's row is today's.
event   sent-thrice   acked    2026-03-01T10:00:00Z  2026-03-01T10:00:00Z
event   sent-thrice   acked    10:00:00  10:00:00
event   sent-thrice   acked    2026-03-03T01:00:00Z  2026-03-03T01:00:00Z
receipt sent-thrice   billing  10:00:01
receipt sent-thrice   mailer   10:00:01
receipt sent-thrice   mailer   2026-03-03T01:00:01Z
want    sent-thrice   billing  ok
want    sent-thrice   mailer   duplicate
event   waits         pending  2026-03-01T10:00:00Z  -
event   waits         pending  10:00:00  -
want    waits         -  stuck
event   waits-better  failed   10:00:00  -
event   waits-better  pending  2026-03-03T01:00:00Z  -
