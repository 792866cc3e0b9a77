//! Ids that a database, a driver or a reader of reports would bend: numbers, NULL, numeric affinity.

use super::common::{
    AS_OF, DAY, Tables, all_ok, assert_differs, assert_nowhere, counts, hinted, json, on, report, tell, told,
};
use crate::world::{DIALECTS, Flow, brief, flow, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::{Outcome, Totals};
use msgrecon::report::Format;

/// `events` and `consumed` with ids of these types; times are text on `SQLite`.
fn tables(dialect: Dialect, event_id: &str, receipt_id: &str) -> Vec<String> {
    let at = match dialect {
        Dialect::Sqlite => "TEXT",
        Dialect::Postgres => "TIMESTAMPTZ",
        Dialect::Mysql => "DATETIME(6)",
    };
    vec![
        format!(
            "CREATE TABLE events (msg_id {event_id} PRIMARY KEY, status VARCHAR(10), created_at {at}, acked_at {at})"
        ),
        format!(
            "CREATE TABLE consumed (msg_id {receipt_id}, consumer VARCHAR(40), consumed_at {at}, PRIMARY KEY (msg_id, consumer))"
        ),
    ]
}

/// Integers beyond 2^53 and beyond 63 bits, in the widest integer type that the server has.
fn big_ids(dialect: Dialect) -> Vec<String> {
    let id = match dialect {
        Dialect::Sqlite => "INTEGER",
        Dialect::Postgres => "NUMERIC(20, 0)",
        Dialect::Mysql => "BIGINT UNSIGNED",
    };
    let mut statements = tables(dialect, id, "VARCHAR(40)");
    let mut ids = vec!["9007199254740992", "9007199254740993"];
    if dialect != Dialect::Sqlite {
        ids.push("18446744073709551615");
    }
    for id in &ids {
        statements.push(format!(
            "INSERT INTO events VALUES ({id}, 'SENT', '2026-03-02 10:00:00', '2026-03-02 10:00:00')"
        ));
    }
    for id in ids.iter().filter(|id| **id != "9007199254740993") {
        statements.push(format!("INSERT INTO consumed VALUES ('{id}', 'billing', '2026-03-02 10:00:01')"));
    }
    statements
}

#[tokio::test]
async fn d19_ids_beyond_2_to_the_53_and_beyond_signed_64_bits() {
    on(&DIALECTS, async |place| {
        place.execute(&big_ids(place.dialect)).await;
        let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
        let acked = if place.dialect == Dialect::Sqlite { 2 } else { 3 };
        assert_differs(&run, Totals { missing: 1, acked, ..all_ok(acked - 1) });
        assert_eq!((brief(&run), run.exit_code), (vec!["missing 9007199254740993".to_owned()], 1));
        // A reader that keeps numbers as doubles gets every digit all the same.
        assert_eq!(json(&run)["differences"][0]["id"], serde_json::Value::from("9007199254740993"));
        for format in Format::ALL {
            let text = report(&run, format);
            assert!(text.contains("9007199254740993"), "{text}");
        }
        assert_nowhere(&run, &["9007199254740992", "9.007", "e+15", "E15", "9223372036854775807", "\"-1\""]);
    })
    .await;
}

#[tokio::test]
async fn d20_b_numeric_affinity_of_sqlite_eats_leading_zeros() {
    let ids = ["007", "1e3", "12345678901234567890"];
    on(&[Dialect::Sqlite], async |place| {
        let mut statements = vec![
            "CREATE TABLE events (msg_id TEXT PRIMARY KEY, status TEXT, created_at TEXT, acked_at TEXT)"
                .to_owned(),
            "CREATE TABLE consumed (msg_id STRING, consumer TEXT, consumed_at TEXT)".to_owned(),
        ];
        for id in ids {
            statements.push(format!(
                "INSERT INTO events VALUES ('{id}', 'SENT', '2026-03-02 10:00:00', '2026-03-02 10:00:00')"
            ));
            statements
                .push(format!("INSERT INTO consumed VALUES ('{id}', 'billing', '2026-03-02 10:00:01')"));
        }
        place.execute(&statements).await;
        let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
        let totals = Totals { acked: 3, missing: 3, orphan: 2, orphan_records: 2, ..Totals::default() };
        assert_eq!((counts(&run).totals, counts(&run).residual()), (totals, 0), "{:#?}", run.problems);
        assert_eq!(
            brief(&run),
            ["missing 007", "orphan 1000", "missing 12345678901234567890", "missing 1e3", "orphan 7"]
        );
        // The third lost its digits when it was stored: no id, and no verdict on its row.
        assert_eq!((counts(&run).receipts.read, counts(&run).receipts.without_id), (2, 1));
        assert_eq!((run.outcome, run.complete, run.problems.len()), (Outcome::Differences, false, 1));
        assert!(run.problems[0].message.contains("1 receipt(s)"), "{:?}", run.problems);
        let warnings = flow(&run).hints.iter().filter(|hint| hint.contains("affinity")).count();
        assert_eq!(warnings, 1, "{:#?}", flow(&run).hints);
        assert!(hinted(&run, &["affinity", "msg_id"]), "{:#?}", flow(&run).hints);
    })
    .await;
}

const NULLS: &str = r#"
day 2026-03-02
event   a  acked 10:00:00 10:00:00
event   b  acked 10:01:00 10:01:00
event   "" acked 10:02:00 10:02:00
receipt a  billing 10:00:01
receipt -  billing 10:03:00
receipt "" billing 10:04:00
"#;

#[tokio::test]
async fn d22_null_and_empty_ids_in_the_consumer_table() {
    for nulls in [1, 2] {
        on(&DIALECTS, async |place| {
            tell(place, &(NULLS.to_owned() + &"receipt - billing 10:03:00\n".repeat(nulls - 1))).await;
            let run = run_day(&told(place, &Flow::default().rules), DAY, AS_OF).await;
            let totals = Totals { acked: 3, ok: 2, missing: 1, ..Totals::default() };
            assert_eq!((counts(&run).totals, counts(&run).residual()), (totals, 0));
            assert_eq!(brief(&run), ["missing b"]);
            assert_eq!(counts(&run).receipts.without_id, nulls as u64);
            assert_eq!((run.outcome, run.complete, run.exit_code), (Outcome::Differences, false, 1));
            let named = run.problems.iter().filter(|it| it.message.contains(&format!("{nulls} receipt(s)")));
            assert_eq!(named.count(), 1, "{:#?}", run.problems);
        })
        .await;
    }
}

#[tokio::test]
async fn d22_an_empty_id_is_shown_as_such() {
    on(&DIALECTS, async |place| {
        tell(place, "day 2026-03-02\nevent \"\" acked 10:02:00 10:02:00\n").await;
        let run = run_day(&told(place, &Flow::default().rules), DAY, AS_OF).await;
        assert_differs(&run, Totals { acked: 1, missing: 1, ..Totals::default() });
        assert_eq!(json(&run)["differences"][0]["id"], serde_json::Value::from(""));
        assert!(run.differences[0].id.is_some());
    })
    .await;
}
