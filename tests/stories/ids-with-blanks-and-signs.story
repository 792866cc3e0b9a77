# Blanks at the end, quotes, formulas, markup and control characters are part of an id.
day 2026-03-02
event   "a"   acked  10:00:00  10:00:00
event   "a "  acked  10:00:00  10:00:00
receipt "a"   billing  10:00:01
receipt "a "  mailer   10:00:01
want    "a"   billing  ok
want    "a"   mailer   missing
want    "a "  billing  missing
want    "a "  mailer   ok
event   "=1+1"  acked  10:00:00  10:00:00
event   "@SUM(A1)"  acked  10:00:00  10:00:00
event   "<b>'\"\\</b>"  acked  10:00:00  10:00:00
event   "line\nbreak"  acked  10:00:00  10:00:00
event   "%_"  acked  10:00:00  10:00:00
receipt "=1+1"  billing  10:00:01
receipt "@SUM(A1)"  billing  10:00:01
receipt "<b>'\"\\</b>"  billing  10:00:01
receipt "line\nbreak"  billing  10:00:01
receipt "%_"  billing  10:00:01
want    "=1+1"  billing  ok
want    "@SUM(A1)"  billing  ok
want    "<b>'\"\\</b>"  billing  ok
want    "line\nbreak"  billing  ok
want    "%_"  billing  ok
want    "=1+1"  mailer  missing
want    "@SUM(A1)"  mailer  missing
want    "<b>'\"\\</b>"  mailer  missing
want    "line\nbreak"  mailer  missing
want    "%_"  mailer  missing
event   "\u001b[31m"  acked  10:00:00  10:00:00
event   "日本 🚚"  acked  10:00:00  10:00:00
receipt "\u001b[31m"  billing  10:00:01
receipt "日本 🚚"  billing  10:00:01
want    "\u001b[31m"  billing  ok
want    "日本 🚚"  billing  ok
want    "\u001b[31m"  mailer  missing
want    "日本 🚚"  mailer  missing
