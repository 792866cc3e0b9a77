"""Counts what two tables lack of each other with reladiff by checksums, as it does between servers.

The databases are in the environment.
"""

import os

from reladiff import Algorithm, connect_to_table, diff_tables

events = connect_to_table(os.environ["EVENTS_URL"], "event", "msg_id")
# The consumer is the first column of the receipts' key: without it each segment would read the whole table.
receipts = connect_to_table(
    os.environ["RECEIPTS_URL"], "consumed_message", "msg_id", where="consumer = 'points'"
)
missing = orphans = 0
for sign, _ in diff_tables(events, receipts, algorithm=Algorithm.HASHDIFF):
    if sign == "-":
        missing += 1
    else:
        orphans += 1
print(missing, orphans)
