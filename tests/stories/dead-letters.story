# A consumer gave up: open, written off, both, and of messages that nobody sent.
day 2026-03-02
event   open  acked  10:00:00  10:00:01
dead    open  billing  10:05:00  reason="no such customer"
receipt open  mailer   10:00:02
want    open  billing  dead_lettered
want    open  mailer   ok
event   closed  acked  10:10:00  10:10:01
dead    closed  billing  10:15:00  closed=10:30:00
want    closed  billing  discarded
want    closed  mailer   missing
# Closed once and parked again: it waits for somebody.
event   again  acked  10:20:00  10:20:01
dead    again  billing  10:25:00  closed=10:30:00
dead    again  billing  11:25:00
dead    again  mailer   10:25:00
dead    again  mailer   10:26:00  closed=10:30:00
want    again  billing  dead_lettered
want    again  mailer   dead_lettered
# The consumer gave up long after the day.
event   next-day  acked  10:30:00  10:30:01
dead    next-day  billing  2026-03-03T05:00:00Z
dead    next-day  mailer   2026-03-03T05:00:00Z  closed=2026-03-03T05:30:00Z
want    next-day  billing  dead_lettered
want    next-day  mailer   discarded
# No event: an open one is an orphan, in the window of its own time; a closed one is nothing.
dead    nobody-open    billing  11:00:00
dead    nobody-closed  billing  11:00:00  closed=11:30:00
dead    nobody-before  billing  2026-03-01T23:59:59.999999Z
dead    nobody-first   billing  00:00:00
dead    nobody-last    billing  23:59:59.999999
dead    nobody-after   billing  2026-03-03T00:00:00Z
want    nobody-open    billing  orphan
want    nobody-first   billing  orphan
want    nobody-last    billing  orphan
# The first of several assigns the window: this one was there the day before.
dead    nobody-since   billing  2026-03-01T12:00:00Z
dead    nobody-since   billing  12:00:00
# An event that is not acked says of itself what is wrong; nobody is told twice.
event   failed  failed  12:00:00  -
dead    failed  billing  12:05:00
want    failed  -  publish_failed
# Of an event of another day.
event   yesterday  acked  2026-03-01T12:00:00Z  2026-03-01T12:00:00Z
dead    yesterday  billing  13:00:00
