"""Anti-joins the exported ids both ways with polars; arguments: events, receipts, events next to the day."""

import sys

import polars

events, receipts, near = (
    polars.scan_csv(path, has_header=False, new_columns=["id"], schema_overrides={"id": polars.String})
    for path in sys.argv[1:]
)
missing = events.join(receipts, on="id", how="anti").select(polars.len())
orphans = receipts.join(events, on="id", how="anti").join(near, on="id", how="anti").select(polars.len())
missing, orphans = polars.collect_all([missing, orphans])
print(missing.item(), orphans.item())
