# An id is a label: neighbours beyond 2^53, beyond 64 bits, leading zeros and exponents stay apart.
day 2026-03-02
event   9007199254740992      acked  10:00:00  10:00:00
event   9007199254740993      acked  10:00:00  10:00:00
event   18446744073709551615  acked  10:00:00  10:00:00
event   18446744073709551616  acked  10:00:00  10:00:00
event   007                   acked  10:00:00  10:00:00
event   7                     acked  10:00:00  10:00:00
event   1e3                   acked  10:00:00  10:00:00
event   -1                    acked  10:00:00  10:00:00
receipt 9007199254740992      billing  10:00:01
receipt 18446744073709551615  billing  10:00:01
receipt 7                     billing  10:00:01
receipt 1000                  billing  10:00:01
receipt -1                    billing  10:00:01
want    9007199254740992      billing  ok
want    9007199254740993      billing  missing
want    18446744073709551615  billing  ok
want    18446744073709551616  billing  missing
want    007                   billing  missing
want    7                     billing  ok
want    1e3                   billing  missing
want    1000                  billing  orphan
want    -1                    billing  ok
receipt 9007199254740992      mailer  10:00:01
receipt 9007199254740993      mailer  10:00:01
receipt 18446744073709551615  mailer  10:00:01
receipt 18446744073709551616  mailer  10:00:01
receipt 007                   mailer  10:00:01
receipt 7                     mailer  10:00:01
receipt 1e3                   mailer  10:00:01
receipt -1                    mailer  10:00:01
want    9007199254740992      mailer  ok
want    9007199254740993      mailer  ok
want    18446744073709551615  mailer  ok
want    18446744073709551616  mailer  ok
want    007                   mailer  ok
want    7                     mailer  ok
want    1e3                   mailer  ok
want    -1                    mailer  ok
