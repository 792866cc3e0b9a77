# Nothing happened on the day, and a lot around it.
day 2026-03-02
event   yesterday  acked    2026-03-01T10:00:00Z  2026-03-01T10:00:00Z
event   waits      pending  2026-03-01T10:00:00Z  -
event   tomorrow   acked    2026-03-03T05:00:00Z  2026-03-03T05:00:00Z
receipt nobody     billing  2026-03-01T10:00:01Z
receipt nobody     billing  10:00:00
receipt tomorrow   mailer   2026-03-03T05:00:01Z
