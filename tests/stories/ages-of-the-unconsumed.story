# as_of 2026-03-02T12:00:00Z
# The grace of 15m ends exactly at 11:45.
day 2026-03-02
event   old    acked  11:40:00  11:44:59.999999
want    old    billing  missing
want    old    mailer   missing
event   edge   acked  11:40:00  11:45:00
want    edge   billing  missing
want    edge   mailer   missing
event   young  acked  11:40:00  11:45:00.000001
want    young  billing  in_flight
want    young  mailer   in_flight
event   newest acked  11:59:59  11:59:59.999999
receipt newest billing  11:59:59.999999
want    newest billing  ok
want    newest mailer   in_flight
# Without an ack time it ages from its creation.
event   no-ack-time-old    acked  11:44:00  -
receipt no-ack-time-old    billing  11:45:00
want    no-ack-time-old    billing  ok
want    no-ack-time-old    mailer   missing
event   no-ack-time-young  acked  11:46:00  -
receipt no-ack-time-young  billing  11:46:00
want    no-ack-time-young  billing  ok
want    no-ack-time-young  mailer   in_flight
# A dead letter is final at any age.
event   young-and-dead  acked  11:50:00  11:50:01
dead    young-and-dead  billing  11:51:00
dead    young-and-dead  mailer   11:51:00  closed=11:55:00
want    young-and-dead  billing  dead_lettered
want    young-and-dead  mailer   discarded
# At the as-of or after it: not judged, and its receipt is no orphan.
event   at-as-of  acked  11:59:00  12:00:00
event   after     acked  11:59:00  13:00:00
receipt after     billing  13:00:01
receipt at-as-of  billing  11:59:59
event   not-yet   pending  13:00:00  -
# A receipt after the as-of is a receipt.
event   just-now  acked  11:30:00  11:30:00
receipt just-now  billing  12:00:00.5
receipt just-now  mailer   12:29:00
want    just-now  billing  ok
want    just-now  mailer   ok
