# A later receipt outranks the dead letter, under the same id or under a new one that names the original.
day 2026-03-02
event   m1  acked  09:00:00  09:00:00
event   m2  acked  09:01:00  09:01:00
event   m3  acked  09:02:00  09:02:00
event   m4  acked  09:03:00  09:03:00
receipt m1  mailer  09:00:01
receipt m2  mailer  09:01:01
receipt m3  mailer  09:02:01
receipt m4  mailer  09:03:01
want    m1  mailer  ok
want    m2  mailer  ok
want    m3  mailer  ok
want    m4  mailer  ok
dead    m1  billing  10:00:00
receipt m1  billing  11:00:00
dead    m2  billing  10:00:00
receipt m2r billing  11:05:00  original=m2
dead    m3  billing  10:00:00
dead    m4  billing  10:00:00  closed=10:30:00
want    m1  billing  late
want    m2  billing  late
want    m3  billing  dead_lettered
want    m4  billing  discarded
# Consumed at once and parked all the same; consumed on the next day.
event   m5  acked  09:10:00  09:10:00
receipt m5  billing  09:10:01
dead    m5  billing  09:10:00
receipt m5  mailer   2026-03-03T04:00:00Z
dead    m5  mailer   09:15:00  closed=2026-03-03T04:00:00Z
want    m5  billing  ok
want    m5  mailer   late
# Under its own id and under a new one: twice.
event   m6  acked  09:20:00  09:20:00
receipt m6  billing  09:20:01
receipt m6r billing  09:40:00  original=m6
receipt m6r mailer   09:40:00  original=m6
want    m6  billing  duplicate
want    m6  mailer   ok
# An original that nobody knows is an orphan under its own name.
receipt m7r billing  09:40:00  original=m7
want    m7  billing  orphan
