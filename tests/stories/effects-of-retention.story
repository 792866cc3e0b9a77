# retention 12h
# Receipts from before 18:00 may be gone: what has none is not missing, and what has one is as it is.
day 2026-03-02
event   purged        acked  10:00:00  10:00:00
want    purged        billing  unverifiable
want    purged        mailer   unverifiable
event   just-older    acked  17:59:59.999999  17:59:59.999999
want    just-older    billing  unverifiable
want    just-older    mailer   unverifiable
event   just-kept     acked  18:00:00  18:00:00
want    just-kept     billing  missing
want    just-kept     mailer   missing
event   still-there   acked  10:00:00  10:00:00
receipt still-there   billing  10:00:01
receipt still-there   mailer   10:00:01
receipt still-there   mailer   10:00:02
want    still-there   billing  ok
want    still-there   mailer   duplicate
event   parked        acked  10:00:00  10:00:00
dead    parked        billing  10:00:01
dead    parked        mailer   10:00:01  closed=10:30:00
want    parked        billing  dead_lettered
want    parked        mailer   discarded
# What the producer says of itself needs no receipts.
event   waits         pending  10:00:00  -
want    waits         -  stuck
event   refused       failed   10:00:00  -
want    refused       -  publish_failed
event   delivered     pending  10:00:00  -
receipt delivered     billing  10:00:01
want    delivered     billing  ack_lost
