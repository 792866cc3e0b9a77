# A state that no rule names: reported, never counted as acked, never an orphan's cause.
day 2026-03-02
event   n1  parked  10:00:00  -
event   n2  Acked   10:00:00  10:00:00
receipt n2  billing  10:00:01
event   n3  7         10:00:00  10:00:00
dead    n3  billing  10:00:01
event   n4  acked   10:00:00  10:00:00
receipt n4  billing  10:00:01
receipt n4  mailer   10:00:01
want    n4  billing  ok
want    n4  mailer   ok
