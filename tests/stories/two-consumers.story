# One dedup table for both: a receipt of one proves nothing of the other, and two of them are no duplicate.
day 2026-03-02
event   a  acked  10:00:00  10:00:00
event   b  acked  10:01:00  10:01:00
event   c  acked  10:02:00  10:02:00
receipt a  billing  10:00:01
receipt a  mailer   10:00:01
receipt b  billing  10:01:01
receipt c  billing  10:02:01
receipt c  audit    10:02:01
want    a  billing  ok
want    b  billing  ok
want    c  billing  ok
want    a  mailer   ok
want    b  mailer   missing
want    c  mailer   missing
# A different verdict at each.
event   d  acked  10:03:00  10:03:00
receipt d  billing  10:03:01
receipt d  billing  10:03:02
dead    d  mailer   10:05:00
want    d  billing  duplicate
want    d  mailer   dead_lettered
event   e  acked  10:04:00  10:04:00
receipt e  billing  12:00:00
dead    e  mailer   10:05:00  closed=10:06:00
want    e  billing  late
want    e  mailer   discarded
