# as_of 2026-03-02T12:00:00Z
# Ten minutes make it stuck, counted from its creation.
day 2026-03-02
event   old     pending  11:49:59.999999  -
event   edge    pending  11:50:00  -
event   young   pending  11:50:00.000001  -
event   newest  pending  11:59:59.999999  -
want    old     -  stuck
want    edge    -  stuck
want    young   -  pending
want    newest  -  pending
# Refused is refused at any age, and delivered is delivered.
event   refused failed   11:59:00  -
want    refused -  publish_failed
event   there   pending  11:59:00  -
receipt there   billing  11:59:01
want    there   billing  ack_lost
