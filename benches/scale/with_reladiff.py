"""Counts what two tables lack of each other with reladiff by checksums, as it does between servers; the databases are in the environment."""

import os

from reladiff import Algorithm, connect_to_table, diff_tables

events = connect_to_table(os.environ["EVENTS_URL"], "event", "msg_id")
receipts = connect_to_table(os.environ["RECEIPTS_URL"], "consumed_message", "msg_id")
missing = orphans = 0
for sign, _ in diff_tables(events, receipts, algorithm=Algorithm.HASHDIFF):
    if sign == "-":
        missing += 1
    else:
        orphans += 1
print(missing, orphans)
