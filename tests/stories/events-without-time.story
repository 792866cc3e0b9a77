# Rows that are in no window of any day: counted apart, listed, never dropped.
day 2026-03-02
event   no-time       acked    -  -
event   no-time-too   pending  -  -
want    no-time       -  unattributable
want    no-time-too   -  unattributable
# A default value of the column is no time, nor is next year.
event   epoch-ack     acked    10:00:00  1970-01-01T00:00:00Z
event   epoch         pending  1970-01-01T00:00:00Z  -
event   before-1971   acked    10:00:00  1970-12-31T23:59:59.999999Z
event   next-year     acked    10:00:00  2027-03-02T10:00:00Z
want    epoch-ack     -  unattributable
want    epoch         -  unattributable
want    before-1971   -  unattributable
want    next-year     -  unattributable
# Its receipts are of a known message, not orphans.
receipt epoch-ack     billing  10:00:01
receipt no-time       mailer   10:00:01
receipt no-time       mailer   10:00:02
dead    next-year     billing  10:00:01
# Only the creation is damaged: the ack places it.
event   epoch-created acked    1970-01-01T00:00:00Z  10:00:00
receipt epoch-created billing  10:00:01
want    epoch-created billing  ok
want    epoch-created mailer   missing
# A healthy row of the same id is judged, and the damaged one is listed.
event   twin          acked    10:00:00  1970-01-01T00:00:00Z
event   twin          acked    10:00:00  10:00:01
receipt twin          billing  10:00:02
want    twin          -  unattributable
want    twin          billing  ok
want    twin          mailer   missing
# A waiting row whose twin was acked at an unusable time does not wait.
event   acked-twin    pending  10:00:00  -
event   acked-twin    acked    10:00:00  1970-01-01T00:00:00Z
receipt acked-twin    billing  10:00:02
want    acked-twin    -  unattributable
