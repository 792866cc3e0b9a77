# Delivered, but the ack never reached the table: told at the consumers that have it, and no more at the producer.
day 2026-03-02
event   waits    pending  10:00:00  -
receipt waits    billing  10:00:01
want    waits    billing  ack_lost
event   refused  failed   10:00:00  -
receipt refused  billing  10:00:01
receipt refused  mailer   10:00:01
want    refused  billing  ack_lost
want    refused  mailer   ack_lost
event   twice    pending  10:00:00  -
receipt twice    mailer   10:00:01
receipt twice    mailer   10:30:01
want    twice    mailer   ack_lost
# Long after, and before: the receipt's clock decides nothing.
event   later    pending  10:00:00  -
receipt later    billing  2026-03-03T05:00:00Z
want    later    billing  ack_lost
event   earlier  failed   10:00:00  -
receipt earlier  billing  09:55:00
want    earlier  billing  ack_lost
event   parked   pending  10:00:00  -
receipt parked   billing  10:00:01
dead    parked   billing  10:00:02
want    parked   billing  ack_lost
