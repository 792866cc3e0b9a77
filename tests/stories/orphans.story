# The consumer has what the producer does not know.
day 2026-03-02
receipt once    billing  10:00:00
receipt twice   billing  10:00:00
receipt twice   billing  10:00:01
receipt both    billing  10:00:00
receipt both    mailer   10:00:00
want    once    billing  orphan
want    twice   billing  orphan
want    both    billing  orphan
want    both    mailer   orphan
# With a dead letter besides: one message, one verdict.
receipt parked  billing  10:00:00
dead    parked  billing  10:00:01
want    parked  billing  orphan
# It was there before the day began.
receipt known   billing  2026-03-01T10:00:00Z
receipt known   billing  10:00:00
receipt nearly  billing  2026-03-01T23:55:00Z
receipt nearly  billing  00:05:00
# Another flow's, or not configured.
event   foreign acked  10:00:00  10:00:00  sort=foreign
receipt foreign billing  10:00:01
receipt nothing audit    10:00:01
