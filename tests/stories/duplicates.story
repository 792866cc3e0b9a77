# Two receipts or more, however far apart, however late the first is.
day 2026-03-02
event   at-once  acked  10:00:00  10:00:00
receipt at-once  billing  10:00:01
receipt at-once  billing  10:00:01
receipt at-once  mailer   10:00:01
receipt at-once  mailer   10:00:01
receipt at-once  mailer   10:00:01
want    at-once  billing  duplicate
want    at-once  mailer   duplicate
event   next-day  acked  10:00:00  10:00:00
receipt next-day  billing  10:00:01
receipt next-day  billing  2026-03-03T05:59:59Z
receipt next-day  mailer   2026-03-03T00:30:00Z
receipt next-day  mailer   2026-03-03T05:59:59Z
want    next-day  billing  duplicate
want    next-day  mailer   duplicate
event   after-as-of  acked  10:00:00  10:00:00
receipt after-as-of  billing  10:00:01
receipt after-as-of  billing  2026-03-03T06:30:00Z
receipt after-as-of  mailer   10:00:01
want    after-as-of  billing  duplicate
want    after-as-of  mailer   ok
event   late-and-twice  acked  10:00:00  10:00:00
receipt late-and-twice  billing  14:00:00
receipt late-and-twice  billing  15:00:00
receipt late-and-twice  mailer   10:00:01
want    late-and-twice  billing  duplicate
want    late-and-twice  mailer   ok
# Both of the day's edges.
event   around-the-end  acked  23:59:59.999999  23:59:59.999999
receipt around-the-end  billing  23:59:59.999999
receipt around-the-end  billing  2026-03-03T00:00:00Z
receipt around-the-end  mailer   2026-03-03T00:00:00Z
want    around-the-end  billing  duplicate
want    around-the-end  mailer   ok
event   around-the-start  acked  00:00:00  00:00:00
receipt around-the-start  billing  2026-03-01T23:59:59.999999Z
receipt around-the-start  billing  00:00:00
receipt around-the-start  mailer   2026-03-01T23:59:59.999999Z
want    around-the-start  billing  duplicate
want    around-the-start  mailer   ok
# Twice at one consumer is nothing at the other.
event   at-one  acked  10:00:00  10:00:00
receipt at-one  billing  10:00:01
receipt at-one  billing  10:00:02
dead    at-one  billing  10:00:02
want    at-one  billing  duplicate
want    at-one  mailer   missing
