# Late is later than an hour after the ack, not an hour after.
day 2026-03-02
event   edge   acked  10:00:00  10:00:01
receipt edge   billing  11:00:01
receipt edge   mailer   11:00:01.000001
want    edge   billing  ok
want    edge   mailer   late
event   long   acked  10:00:00  10:00:01
receipt long   billing  2026-03-03T05:00:00Z
receipt long   mailer   23:59:59.999999
want    long   billing  late
want    long   mailer   late
# By its ack, not by its creation.
event   relay  acked  08:00:00  10:00:01
receipt relay  billing  10:00:02
receipt relay  mailer   11:30:00
want    relay  billing  ok
want    relay  mailer   late
