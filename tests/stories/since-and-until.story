# since 2026-03-02T12:00:00Z
# until 2026-03-02T18:00:00Z
# `mailer` is expected to see events of the afternoon only; `billing` sees all.
day 2026-03-02
event   before  acked  11:59:59.999999  11:59:59.999999
event   first   acked  12:00:00  12:00:00
event   last    acked  17:59:59.999999  17:59:59.999999
event   after   acked  18:00:00  18:00:00
receipt before  billing  12:00:00
receipt first   billing  12:00:01
receipt last    billing  18:00:00
receipt after   billing  18:00:01
want    before  billing  ok
want    first   billing  ok
want    last    billing  ok
want    after   billing  ok
want    first   mailer   missing
want    last    mailer   missing
# What it saw all the same is of a known message.
event   early   acked  09:00:00  09:00:00
receipt early   billing  09:00:01
receipt early   mailer   13:00:00
want    early   billing  ok
# Sent again within its time: owed from then on.
event   again   acked  11:00:00  11:00:00
event   again   acked  13:00:00  13:00:00
receipt again   billing  11:00:01
want    again   billing  ok
want    again   mailer   missing
# Not acked, and delivered to the one that is not expected to see it.
event   waits   pending  11:00:00  -
receipt waits   mailer   12:30:00
want    waits   -  stuck
event   lost    pending  13:00:00  -
receipt lost    mailer   13:30:00
want    lost    mailer   ack_lost
# A receipt of nobody is an orphan at any time of the day.
receipt nobody  mailer   10:00:00
want    nobody  mailer   orphan
