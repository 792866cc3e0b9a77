//! Packed, a slice holds what its rows hold: the same digests at the same instants, and the way back to each row.

use crate::bench::{Bench, DAY, at, bench, consumer_config, event_config, id, time};
use chrono_tz::Tz;
use msgrecon::config::{Dialect, IdEncoding, TimeFormat};
use msgrecon::model::time::{HOUR, MINUTE};
use msgrecon::model::{Event, Id, PackedRow, Receipt, Span, State};
use msgrecon::sketch::Digest;

/// A column's type, its format and zone, and how it writes microseconds since 1970 (`None`: it cannot be packed).
type Case = (&'static str, TimeFormat, Tz, Option<fn(i64) -> String>);

fn clock(at: i64, zone: Tz) -> String {
    let utc = chrono::DateTime::from_timestamp_micros(at).unwrap();
    format!("'{}'", utc.with_timezone(&zone).format("%Y-%m-%d %H:%M:%S%.6f"))
}

fn utc(at: i64) -> String {
    clock(at, Tz::UTC)
}

fn shanghai(at: i64) -> String {
    clock(at, Tz::Asia__Shanghai)
}

fn zoned(at: i64) -> String {
    utc(at) + "::timestamp AT TIME ZONE 'UTC'"
}

fn cases(dialect: Dialect) -> Vec<Case> {
    let native = || TimeFormat::Native;
    let seconds: fn(i64) -> String = |at| at.div_euclid(1_000_000).to_string();
    let millis: fn(i64) -> String = |at| at.div_euclid(1_000).to_string();
    let micros: fn(i64) -> String = |at| at.to_string();
    let numbers = vec![
        ("BIGINT", TimeFormat::EpochSeconds, Tz::UTC, Some(seconds)),
        ("BIGINT", TimeFormat::EpochMillis, Tz::UTC, Some(millis)),
        ("BIGINT", TimeFormat::EpochMicros, Tz::UTC, Some(micros)),
        ("DECIMAL(20,3)", TimeFormat::EpochSeconds, Tz::UTC, None),
    ];
    let own: Vec<Case> = match dialect {
        Dialect::Postgres => vec![
            ("timestamptz", native(), Tz::UTC, Some(zoned)),
            ("timestamptz(3)", native(), Tz::UTC, Some(zoned)),
            ("timestamp", native(), Tz::UTC, Some(utc)),
            ("timestamp", native(), Tz::Asia__Shanghai, Some(shanghai)),
            ("timestamp", native(), Tz::Europe__Berlin, None),
            ("integer", TimeFormat::EpochSeconds, Tz::UTC, Some(seconds)),
            ("text", TimeFormat::Iso8601, Tz::UTC, None),
        ],
        _ => vec![
            ("TIMESTAMP(6) NULL", native(), Tz::UTC, Some(utc)),
            ("DATETIME", native(), Tz::UTC, Some(utc)),
            ("DATETIME(3)", native(), Tz::Asia__Shanghai, Some(shanghai)),
            ("DATETIME(6)", native(), Tz::Asia__Shanghai, Some(shanghai)),
            ("DATETIME(6)", native(), Tz::Europe__Berlin, None),
            ("INT UNSIGNED", TimeFormat::EpochSeconds, Tz::UTC, Some(seconds)),
            ("BIGINT UNSIGNED", TimeFormat::EpochMicros, Tz::UTC, Some(micros)),
        ],
    };
    [own, numbers].concat()
}

/// Ids of all sorts, one that no server is asked to read, and none.
const IDS: [&str; 8] = [
    "'6ccd780c-baba-1026-9564-5b8c656024db'",
    "'urn:uuid:6CCD780C-BABA-1026-9564-5B8C656024DC'",
    "'6CCD780CBABA102695645B8C656024DD'",
    "'007'",
    "'日本 ü'",
    "''",
    "' '",
    "NULL",
];

fn edges() -> Vec<i64> {
    let (from, until) = (DAY.from.0, DAY.until.0);
    vec![from - 1, from, from + 1, from + 10 * HOUR + 123_456, from + 10 * HOUR + 123_457, until - 1, until]
}

/// Every id at every instant; every third event is not acked.
async fn fill(bench: &Bench, column: &str, write: Option<fn(i64) -> String>) {
    bench.run("DROP TABLE IF EXISTS event").await;
    bench.run("DROP TABLE IF EXISTS consumed").await;
    bench
        .run(&format!("CREATE TABLE event (msg_id VARCHAR(60), created_at {column}, sent_at {column})"))
        .await;
    bench.run(&format!("CREATE TABLE consumed (msg_id VARCHAR(60), consumed_at {column})")).await;
    let Some(write) = write else { return };
    let (mut events, mut receipts) = (Vec::new(), Vec::new());
    for at in edges() {
        for (number, id) in IDS.iter().enumerate() {
            let at = write(at);
            let acked = if number == 2 { "NULL" } else { &at };
            events.push(format!("({id}, {at}, {acked})"));
            receipts.push(format!("({id}, {at})"));
        }
    }
    bench.run(&format!("INSERT INTO event VALUES {}", events.join(", "))).await;
    bench.run(&format!("INSERT INTO consumed VALUES {}", receipts.join(", "))).await;
}

fn packed(id: Option<&Id>, at: Option<msgrecon::model::Micros>) -> Option<PackedRow> {
    Some(PackedRow { digest: Digest::of(id?).word, at: at? })
}

fn texts<T: std::fmt::Debug>(rows: impl IntoIterator<Item = T>) -> Vec<String> {
    let mut texts: Vec<_> = rows.into_iter().map(|row| format!("{row:?}")).collect();
    texts.sort();
    texts
}

/// The acked rows that have a digest, sorted; the others.
fn parted<T: std::fmt::Debug>(
    rows: Vec<T>,
    row: impl Fn(&T) -> Option<PackedRow>,
    odd: &[Id],
    id: impl Fn(&T) -> Option<Id>,
) -> (Vec<PackedRow>, Vec<String>) {
    let (fit, rest): (Vec<_>, Vec<_>) =
        rows.into_iter().partition(|one| row(one).is_some() && id(one).is_none_or(|id| !odd.contains(&id)));
    let mut fit: Vec<_> = fit.iter().filter_map(row).collect();
    fit.sort_unstable();
    (fit, texts(rest))
}

async fn events_agree(bench: &Bench, case: &Case, encoding: IdEncoding, odd: &[Id]) {
    let mut config = event_config();
    config.id = id("msg_id", encoding);
    for (slot, name) in [(&mut config.created_at, "created_at"), (&mut config.acked_at, "sent_at")] {
        let mut column = time(name, case.1.clone());
        column.time_zone = Some(case.2);
        *slot = Some(column);
    }
    let table = bench.events(&config).await.unwrap();
    let what = format!("{:?} {} {:?} {}", bench.dialect, case.0, case.1, case.2);
    assert_eq!(table.packed_obstacle().is_none(), case.3.is_some(), "{what} {:?}", table.packed_obstacle());
    if case.3.is_none() {
        return;
    }
    assert_eq!(table.sketch_check().await.unwrap(), None, "{what}");
    for slice in slices() {
        let rows = table.read(slice, 1_000).await.unwrap().unwrap();
        let of = |event: &Event| {
            packed(event.id.as_ref(), event.acked.at()).filter(|_| event.state == State::Acked)
        };
        let (right, beside) = parted(rows.clone(), of, odd, |event: &Event| event.id.clone());
        let found = table.read_packed(slice, 1_000).await.unwrap().unwrap();
        let mut short: Vec<_> = found.packed.iter().flat_map(|group| group.rows.clone()).collect();
        short.sort_unstable();
        assert_eq!((&short, texts(found.rows)), (&right, beside), "{what} {slice:?}");
        assert!(found.packed.iter().all(|group| group.expected_by == 1), "{what}");
        let back = table.unpacked(&distinct(&short)).await.unwrap();
        for (row, event) in distinct(&short).iter().zip(back) {
            let same = rows.iter().filter(|event| of(event) == Some(*row)).count();
            assert_eq!(event.is_some(), same == 1, "{what} {row:?}: {same} rows");
            assert_eq!(event.and_then(|event| of(&event)), (same == 1).then_some(*row), "{what}");
        }
    }
}

async fn receipts_agree(bench: &Bench, case: &Case, encoding: IdEncoding, odd: &[Id]) {
    let mut config = consumer_config();
    config.id = id("msg_id", encoding);
    let mut column = time("consumed_at", case.1.clone());
    column.time_zone = Some(case.2);
    config.consumed_at = Some(column);
    let table = bench.receipts(&config).await.unwrap();
    let what = format!("{:?} {} {:?} {}", bench.dialect, case.0, case.1, case.2);
    assert_eq!(table.packed_obstacle().is_none(), case.3.is_some(), "{what} {:?}", table.packed_obstacle());
    if case.3.is_none() {
        return;
    }
    for slice in slices() {
        let rows = table.read(slice, 1_000).await.unwrap().unwrap();
        let of = |row: &Receipt| packed(row.id.as_ref(), row.consumed.at());
        let (right, beside) = parted(rows.clone(), of, odd, |row: &Receipt| row.id.clone());
        let found = table.read_packed(slice, 1_000).await.unwrap().unwrap();
        let mut short = found.packed;
        short.sort_unstable();
        assert_eq!((&short, texts(found.rows)), (&right, beside), "{what} {slice:?}");
        let back = table.unpacked(&distinct(&short)).await.unwrap();
        for (row, receipt) in distinct(&short).iter().zip(back) {
            let same = rows.iter().filter(|receipt| of(receipt) == Some(*row)).count();
            assert_eq!(receipt.and_then(|row| of(&row)), (same == 1).then_some(*row), "{what}");
        }
    }
}

fn distinct(rows: &[PackedRow]) -> Vec<PackedRow> {
    let mut rows = rows.to_vec();
    rows.dedup();
    rows
}

/// The day, its halves, a slice that begins within a second, and one with nothing in it.
fn slices() -> [Span; 5] {
    let noon = DAY.from.plus(12 * HOUR);
    let ten = DAY.from.plus(10 * HOUR + 123_457);
    [
        DAY,
        Span::new(DAY.from, noon),
        Span::new(noon, DAY.until),
        Span::new(ten, ten.plus(MINUTE)),
        Span::new(noon, noon.plus(MINUTE)),
    ]
}

#[tokio::test]
async fn every_type_is_packed_as_its_rows_are_read_or_refused() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let Some(bench) = bench(dialect).await else { continue };
        let strange = [Id::from_uuid_text(b"urn:uuid:6CCD780C-BABA-1026-9564-5B8C656024DC")];
        // Under `uuid` no server says what these are, and they are read as rows.
        let words: Vec<_> = ["007", "日本 ü", "", " "].map(Id::from_text).to_vec();
        for case in cases(dialect) {
            fill(&bench, case.0, case.3).await;
            for (encoding, odd) in
                [(IdEncoding::Text, Vec::new()), (IdEncoding::Uuid, [&strange[..], &words].concat())]
            {
                events_agree(&bench, &case, encoding, &odd).await;
                receipts_agree(&bench, &case, encoding, &odd).await;
            }
        }
        bench.remove(None).await;
    }
}

#[tokio::test]
async fn a_slice_that_is_too_long_for_its_times_is_to_be_cut() {
    let Some(bench) = bench(Dialect::Mysql).await else { return };
    fill(&bench, "DATETIME(6)", Some(utc)).await;
    let table = bench.receipts(&consumer_config()).await.unwrap();
    let long = Span::new(at("2026-02-01 00:00:00"), DAY.until);
    assert!(table.read_packed(long, 1_000).await.unwrap().is_none());
    let table = bench.events(&event_config()).await.unwrap();
    assert!(table.read_packed(long, 1_000).await.unwrap().is_none());
    bench.remove(None).await;
}
