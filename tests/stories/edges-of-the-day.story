# The first microsecond of the day is in it, and the first of the next day is not.
day 2026-03-02
event   before  acked  2026-03-01T23:59:59.999999Z  2026-03-01T23:59:59.999999Z
event   first   acked  00:00:00  00:00:00
event   last    acked  23:59:59.999999  23:59:59.999999
event   after   acked  2026-03-03T00:00:00Z  2026-03-03T00:00:00Z
want    first   billing  missing
want    first   mailer   missing
want    last    billing  missing
want    last    mailer   missing
# The ack places it, not the creation.
event   acked-before  acked  00:00:01  2026-03-01T23:59:59.999999Z
event   acked-first   acked  2026-03-01T12:00:00Z  00:00:00
event   acked-last    acked  23:59:59  23:59:59.999999
event   acked-after   acked  23:59:59  2026-03-03T00:00:00Z
receipt acked-first   billing  00:00:01
receipt acked-last    billing  2026-03-03T00:00:01Z
want    acked-first   billing  ok
want    acked-first   mailer   missing
want    acked-last    billing  ok
want    acked-last    mailer   missing
# Without an ack the creation does.
event   pending-before  pending  2026-03-01T23:59:59.999999Z  -
event   pending-first   pending  00:00:00  -
event   pending-last    pending  23:59:59.999999  -
event   pending-after   pending  2026-03-03T00:00:00Z  -
want    pending-first   -  stuck
want    pending-last    -  stuck
event   failed-before   failed   2026-03-01T23:59:59.999999Z  -
event   failed-first    failed   00:00:00  -
event   failed-last     failed   23:59:59.999999  -
event   failed-after    failed   2026-03-03T00:00:00Z  -
want    failed-first    -  publish_failed
want    failed-last     -  publish_failed
# An orphan is placed by its first receipt.
receipt orphan-before  billing  2026-03-01T23:59:59.999999Z
receipt orphan-first   billing  00:00:00
receipt orphan-last    billing  23:59:59.999999
receipt orphan-after   billing  2026-03-03T00:00:00Z
want    orphan-first   billing  orphan
want    orphan-last    billing  orphan
# Receipts inside the day of events outside it belong to another run.
event   yesterdays  acked  2026-03-01T10:00:00Z  2026-03-01T10:00:00Z
receipt yesterdays  billing  10:00:00
event   tomorrows   acked  2026-03-03T00:01:00Z  2026-03-03T00:01:00Z
receipt tomorrows   billing  23:59:00
receipt tomorrows   mailer   2026-03-03T00:01:01Z
