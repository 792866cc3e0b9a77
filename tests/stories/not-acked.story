# The relay has not sent it: told once, by the producer alone, and not once for each consumer.
day 2026-03-02
event   waits       pending  10:00:00  -  attempts=3
event   refused     failed   10:00:00  -  attempts=9
want    waits       -  stuck
want    refused     -  publish_failed
# A pending row with an ack time is placed by that, and ages from its creation.
event   re-armed    pending  09:00:00  10:00:00
want    re-armed    -  stuck
event   no-creation pending  -  10:00:00
want    no-creation -  stuck
event   healthy     acked    10:00:00  10:00:00
receipt healthy     billing  10:00:01
receipt healthy     mailer   10:00:01
want    healthy     billing  ok
want    healthy     mailer   ok
