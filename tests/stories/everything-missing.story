# The broker confirmed what it refused: nothing at all arrived, which is an answer and no failure.
day 2026-03-02
event   g1  acked  10:00:00  10:00:00
event   g2  acked  10:01:00  10:01:00
event   g3  acked  10:02:00  10:02:00
receipt h1  billing  2026-03-01T10:00:00Z
receipt h2  billing  2026-03-03T01:00:00Z
want    g1  billing  missing
want    g1  mailer   missing
want    g2  billing  missing
want    g2  mailer   missing
want    g3  billing  missing
want    g3  mailer   missing
