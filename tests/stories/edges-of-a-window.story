# Messages and receipts around a full hour: paired by id across the edge, and each counted once.
day 2026-03-02
event   before  acked  10:59:59.999999  10:59:59.999999
event   at      acked  11:00:00  11:00:00
event   behind  acked  11:00:00.000001  11:00:00.000001
receipt before  billing  11:00:00
receipt at      billing  10:59:59.999999
receipt behind  billing  12:00:00.000001
receipt before  mailer   11:59:59.999999
want    before  billing  ok
want    at      billing  ok
want    behind  billing  ok
want    before  mailer   ok
want    at      mailer   missing
want    behind  mailer   missing
# One message in two windows: several rows, one verdict, in the window of the first.
event   twice  acked  10:30:00  10:30:00
event   twice  acked  12:30:00  12:30:00
receipt twice  billing  10:30:01
want    twice  billing  ok
want    twice  mailer   missing
# Orphans with receipts in two windows.
receipt nobody  billing  10:59:59.999999
receipt nobody  billing  11:00:00
want    nobody  billing  orphan
