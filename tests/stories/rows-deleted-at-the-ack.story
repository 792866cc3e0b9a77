# after_ack delete
# What is not in the event table may have been there: no orphans; what is there is judged.
day 2026-03-02
event   p9  pending  10:00:00  -
event   p8  failed   10:00:00  -
receipt p1  billing  09:00:00
receipt p2  billing  09:05:00
dead    p3  billing  09:05:00
want    p9  -  stuck
want    p8  -  publish_failed
event   p7  pending  10:10:00  -
receipt p7  billing  10:10:01
want    p7  billing  ack_lost
