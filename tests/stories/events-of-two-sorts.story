# expects paid
# `mailer` writes only of paid orders: others are not owed to it, and not orphans there either.
day 2026-03-02
event   p1  acked  10:00:00  10:00:00
event   r1  acked  10:01:00  10:01:00  sort=refund
event   r2  acked  10:02:00  10:02:00  sort=refund
receipt p1  billing  10:00:01
receipt r1  billing  10:01:01
receipt r1  mailer   10:01:01
want    p1  billing  ok
want    r1  billing  ok
want    r2  billing  missing
want    p1  mailer   missing
# Not acked: told once, by the producer, whoever expects it.
event   r3  pending  10:03:00  -  sort=refund
want    r3  -  stuck
# The consumer that does not expect it has it: the producer's own word stands.
event   r4  pending  10:04:00  -  sort=refund
receipt r4  mailer   10:04:01
want    r4  -  stuck
event   r5  pending  10:05:00  -  sort=refund
receipt r5  billing  10:05:01
want    r5  billing  ack_lost
