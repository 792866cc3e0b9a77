//! Differences for the tests of lists.

use crate::config::{self, Flow};
use crate::ledger::Entry;
use crate::model::time::{DAY, HOUR, MINUTE, SECOND};
use crate::model::{Difference, Id, Kind, Micros, Status};
use std::path::Path;

/// 2026-03-02T00:00:00Z.
const DAY_FROM: Micros = Micros(1_772_409_600 * SECOND);

fn difference(consumer: Option<&str>, kind: Kind, id: &[u8], detail: &str) -> Difference {
    let acked = DAY_FROM.plus(11 * HOUR);
    Difference {
        flow: "orders".to_owned(),
        consumer: consumer.map(ToOwned::to_owned),
        window_from: Some(acked),
        kind,
        id: Some(Id::from_bytes(id)),
        created_at: Some(acked.plus(-SECOND)),
        acked_at: consumer.map(|_| acked.plus(3 * MINUTE)),
        consumed_at: None,
        age: Some(19 * HOUR),
        first_seen: acked,
        detail: detail.to_owned(),
        status: Status::New,
        times_seen: 1,
        after_first_check: false,
    }
}

/// Open, acknowledged, healed and given up; with texts that want to be more than texts.
pub(super) fn entries() -> Vec<Entry> {
    let as_of = DAY_FROM.plus(DAY + 6 * HOUR);
    let first = |consumer, kind, id: &[u8], detail| {
        Entry::first(&difference(consumer, kind, id, detail), as_of, false)
    };
    let mut entries: Vec<_> = [
        first(Some("billing"), Kind::Missing, b"m1", ""),
        first(Some("billing"), Kind::DeadLettered, b"=1+1", "\u{1b}[31mbad \u{202e}total\n"),
        first(Some("billing"), Kind::Duplicate, b"\xff\x00", "2 receipts"),
        first(None, Kind::Stuck, b"m4", ""),
        first(None, Kind::PublishFailed, b"m5", "9 attempts"),
    ]
    .into_iter()
    .flatten()
    .collect();
    entries[0].found_late = true;
    entries[1].ack_until = Some(as_of.plus(3 * DAY));
    entries[1].ack_reason = Some("OPS-17, \"known\"".to_owned());
    entries[2].ack_until = Some(as_of);
    entries[3] = entries[3].healed(as_of.plus(DAY), "acked at 2026-03-03T07:00:00Z", false);
    entries[4] = entries[4].healed(as_of.plus(DAY), "its event row is gone", true);
    entries
}

/// A flow of windows of an hour with a grace of 15 minutes.
pub(super) fn flow() -> Flow {
    let text = r#"
        [databases.shop]
        url = "sqlite://shop.db"
        time_zone = "UTC"
        [[flows]]
        name = "orders"
        window = "1h"
        grace = "15m"
        stuck_after = "10m"
        [flows.events]
        database = "shop"
        table = "event"
        id = "id"
        created_at = "created_at"
        acked_at = "sent_at"
        [[flows.consumers]]
        name = "billing"
        database = "shop"
        table = "receipt"
        id = "id"
        consumed_at = "at"
    "#;
    let parsed = config::parse(text, Path::new("test.toml"), &|_| None, &|_| Ok(String::new()));
    parsed.unwrap_or_else(|problems| panic!("{problems}")).flows.remove(0)
}
