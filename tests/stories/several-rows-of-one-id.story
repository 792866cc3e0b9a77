# Several rows are one message in its best state: acked over pending over failed.
day 2026-03-02
event   resent   failed   10:00:00  -
event   resent   acked    10:00:00  10:00:30
receipt resent   billing  10:00:31
want    resent   billing  ok
want    resent   mailer   missing
event   waiting  failed   10:00:00  -
event   waiting  pending  10:01:00  -
want    waiting  -  stuck
event   refused  failed   10:00:00  -
event   refused  failed   10:01:00  -
event   refused  failed   10:02:00  -
want    refused  -  publish_failed
event   mixed    pending  10:00:00  -
event   mixed    failed   10:00:30  -
receipt mixed    mailer   10:00:31
want    mixed    mailer   ack_lost
# Sent twice and consumed once is one message that arrived; consumed twice is a duplicate.
event   twice    acked    10:00:00  10:00:10
event   twice    acked    10:00:00  10:00:20
receipt twice    billing  10:00:11
receipt twice    mailer   10:00:11
receipt twice    mailer   10:00:21
want    twice    billing  ok
want    twice    mailer   duplicate
# Better an unknown state than none, but any known one is better.
event   odd      parked   10:00:00  -
event   odd      failed   10:00:01  -
want    odd      -  publish_failed
