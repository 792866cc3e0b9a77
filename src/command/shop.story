# A day in a small shop. Every order that is paid is an event that two consumers must see: `points` credits loyalty
# points, `mailer` sends the confirmation. On this day a bit of everything went wrong.
day 2026-03-02

# Everything worked.
event   order-1001  acked  08:00:00  08:00:01
receipt order-1001  points  08:00:02
receipt order-1001  mailer  08:00:03
want    order-1001  points  ok
want    order-1001  mailer  ok

# The mailer was slow: an hour and a half.
event   order-1002  acked  09:00:00  09:00:01
receipt order-1002  points  09:00:02
receipt order-1002  mailer  10:30:00
want    order-1002  points  ok
want    order-1002  mailer  late

# `points` crashed between its work and its commit, and worked off the same batch twice after the restart.
event   order-1003  acked  10:00:00  10:00:01
event   order-1004  acked  10:00:10  10:00:11
event   order-1005  acked  10:00:20  10:00:21
event   order-1006  acked  10:00:30  10:00:31
event   order-1007  acked  10:00:40  10:00:41
receipt order-1003  points  10:00:02
receipt order-1004  points  10:00:12
receipt order-1005  points  10:00:22
receipt order-1006  points  10:00:32
receipt order-1007  points  10:00:42
receipt order-1003  points  10:12:05
receipt order-1004  points  10:12:05.2
receipt order-1005  points  10:12:05.4
receipt order-1006  points  10:12:05.7
receipt order-1007  points  10:12:06.1
receipt order-1003  mailer  10:00:03
receipt order-1004  mailer  10:00:13
receipt order-1005  mailer  10:00:23
receipt order-1006  mailer  10:00:33
receipt order-1007  mailer  10:00:43
want    order-1003  points  duplicate
want    order-1004  points  duplicate
want    order-1005  points  duplicate
want    order-1006  points  duplicate
want    order-1007  points  duplicate
want    order-1003  mailer  ok
want    order-1004  mailer  ok
want    order-1005  mailer  ok
want    order-1006  mailer  ok
want    order-1007  mailer  ok

# The mailer gave up: one is still open, one was written off, one was replayed and worked.
event   order-1008  acked  11:00:00  11:00:01
event   order-1009  acked  11:05:00  11:05:01
event   order-1010  acked  11:10:00  11:10:01
receipt order-1008  points  11:00:02
receipt order-1009  points  11:05:02
receipt order-1010  points  11:10:02
dead    order-1008  mailer  11:01:00  reason="mailbox full"
dead    order-1009  mailer  11:06:00  reason="no such address" closed=15:00:00
dead    order-1010  mailer  11:11:00  reason="mailbox full" closed=11:30:00
receipt order-1010  mailer  11:20:00
want    order-1008  points  ok
want    order-1009  points  ok
want    order-1010  points  ok
want    order-1008  mailer  dead_lettered
want    order-1009  mailer  discarded
want    order-1010  mailer  ok

# Lost between broker and consumer: one at `points`, one at both. The counts of the first hour hide it: a duplicate
# elsewhere makes up for the loss.
event   order-1011  acked  10:30:00  10:30:01
event   order-1012  acked  14:00:00  14:00:01
receipt order-1011  mailer  10:30:02
want    order-1011  points  missing
want    order-1011  mailer  ok
want    order-1012  points  missing
want    order-1012  mailer  missing

# Receipts of the mailer are kept for 18 hours only: at midnight this one may be purged.
event   order-1013  acked  05:30:00  05:30:01
receipt order-1013  points  05:30:02
want    order-1013  points  ok
want    order-1013  mailer  unverifiable

# A moment before the run.
event   order-1014  acked    23:59:40  23:59:50
event   order-1015  pending  23:59:55  -
want    order-1014  points  in_flight
want    order-1014  mailer  in_flight
want    order-1015  -       pending

# The relay stopped for one row, and gave up on another.
event   order-1016  pending  12:00:00  -  attempts=7
event   order-1017  failed   12:30:00  -  attempts=10
want    order-1016  -       stuck
want    order-1017  -       publish_failed

# Delivered, but the ack never reached the table: sent again, if nobody marks it.
event   order-1018  pending  13:00:00  -  attempts=3
receipt order-1018  points  13:00:05
receipt order-1018  mailer  13:00:06
want    order-1018  points  ack_lost
want    order-1018  mailer  ack_lost

# The producer rolled back after it had sent.
receipt order-1019  points  16:00:00
want    order-1019  points  orphan

# A row that an old import left without any time.
event   order-1020  pending  -  -
want    order-1020  -       unattributable
