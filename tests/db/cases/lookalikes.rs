//! Ids that look alike: spellings of a UUID, upper and lower case, accents.

use super::common::{
    AS_OF, DAY, Tables, all_ok, assert_balanced, assert_differs, counts, hinted, json, on, report, tell, told,
};
use crate::world::{DIALECTS, Flow, brief, flow, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::Totals;
use msgrecon::report::Format;

fn instant(dialect: Dialect) -> &'static str {
    match dialect {
        Dialect::Sqlite => "TEXT",
        Dialect::Postgres => "TIMESTAMPTZ",
        Dialect::Mysql => "DATETIME(6)",
    }
}

/// Text columns as people make them: on MySQL with the collation of the server, and a key on both sides.
fn uuids(dialect: Dialect) -> Vec<String> {
    let at = instant(dialect);
    let mut statements = vec![
        format!(
            "CREATE TABLE events (msg_id VARCHAR(60) PRIMARY KEY, status VARCHAR(10), created_at {at}, acked_at {at})"
        ),
        format!(
            "CREATE TABLE consumed (msg_id VARCHAR(60), consumer VARCHAR(40), consumed_at {at}, PRIMARY KEY (msg_id, consumer))"
        ),
    ];
    for id in ["6CCD780C-BABA-1026-9564-5B8C656024DB", "0b0c5f3a2d4e4b7c9a1e6f5d4c3b2a19", "not-a-uuid"] {
        statements.push(format!(
            "INSERT INTO events VALUES ('{id}', 'SENT', '2026-03-02 10:00:00', '2026-03-02 10:00:00')"
        ));
    }
    for id in [
        "{6ccd780c-baba-1026-9564-5b8c656024db}",
        "0b0c5f3a-2d4e-4b7c-9a1e-6f5d4c3b2a19",
        "urn:uuid:6CCD780C-BABA-1026-9564-5B8C656024DB",
    ] {
        statements.push(format!("INSERT INTO consumed VALUES ('{id}', 'billing', '2026-03-02 10:00:01')"));
    }
    statements
}

#[tokio::test]
async fn d15_uuid_text_forms() {
    let key = "id = { column = \"msg_id\", encoding = \"uuid\" }\n";
    on(&DIALECTS, async |place| {
        place.execute(&uuids(place.dialect)).await;
        let run = run_day(&Tables { events: key, consumer: key }.toml(place), DAY, AS_OF).await;
        let totals = Totals { acked: 3, duplicate: 1, duplicate_records: 2, missing: 1, ..all_ok(1) };
        assert_differs(&run, Totals { acked: 3, ..totals });
        assert_eq!(brief(&run), ["duplicate 6ccd780c-baba-1026-9564-5b8c656024db", "missing not-a-uuid"]);

        let text = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
        assert_differs(
            &text,
            Totals { acked: 3, missing: 3, orphan: 3, orphan_records: 3, ..Totals::default() },
        );
        assert!(hinted(&text, &["become equal", "UUID"]), "{:#?}", flow(&text).hints);
    })
    .await;
}

/// The dedup key ignores case, so that the second message is taken for a repeat of the first and vanishes.
fn swallowed(dialect: Dialect) -> Vec<String> {
    let at = instant(dialect);
    let (exact, ignoring) = match dialect {
        Dialect::Sqlite => ("TEXT", "TEXT COLLATE NOCASE"),
        Dialect::Postgres => ("VARCHAR(32)", "VARCHAR(32) COLLATE ignores_case"),
        Dialect::Mysql => (
            "VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin",
            "VARCHAR(32) CHARACTER SET utf8mb4 COLLATE utf8mb4_unicode_ci",
        ),
    };
    let (insert, unless_known) = match dialect {
        Dialect::Sqlite => ("INSERT OR IGNORE", ""),
        Dialect::Postgres => ("INSERT", " ON CONFLICT DO NOTHING"),
        Dialect::Mysql => ("INSERT IGNORE", ""),
    };
    let mut statements = vec![
        format!(
            "CREATE TABLE events (msg_id {exact} PRIMARY KEY, status VARCHAR(10), created_at {at}, acked_at {at})"
        ),
        format!(
            "CREATE TABLE consumed (msg_id {ignoring}, consumer VARCHAR(40), consumed_at {at}, PRIMARY KEY (msg_id, consumer))"
        ),
    ];
    if dialect == Dialect::Postgres {
        let collation = "CREATE COLLATION ignores_case (provider = icu, locale = 'und-u-ks-level2', deterministic = false)";
        statements.insert(0, collation.to_owned());
    }
    for (id, minute) in [("api_4qD329", "00"), ("api_4qd329", "01")] {
        let acked = format!("2026-03-02 10:{minute}:00");
        statements.push(format!("INSERT INTO events VALUES ('{id}', 'SENT', '{acked}', '{acked}')"));
        statements.push(format!(
            "{insert} INTO consumed VALUES ('{id}', 'billing', '2026-03-02 10:{minute}:01'){unless_known}"
        ));
    }
    statements
}

#[tokio::test]
async fn d17_a_key_that_ignores_case_swallows_a_distinct_id() {
    on(&DIALECTS, async |place| {
        place.execute(&swallowed(place.dialect)).await;
        let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
        assert_differs(&run, Totals { acked: 2, ok: 1, missing: 1, ..Totals::default() });
        assert_eq!((brief(&run), run.exit_code), (vec!["missing api_4qd329".to_owned()], 1));
        assert_eq!(counts(&run).receipts.read, 1);
        assert!(hinted(&run, &["case", "msg_id"]), "{:#?}", flow(&run).hints);
    })
    .await;
}

#[tokio::test]
async fn d21_same_looking_ids_in_two_unicode_forms() {
    let long = "x".repeat(300);
    let story = format!(
        "day 2026-03-02\nevent \"caf\\u00e9-1\" acked 10:00:00 10:00:00\nreceipt \"cafe\\u0301-1\" billing 10:00:01\n\
         event {long} acked 10:00:00 10:00:00\nreceipt {long} billing 10:00:01\n"
    );
    on(&DIALECTS, async |place| {
        tell(place, &story).await;
        let run = run_day(&told(place, &Flow::default().rules), DAY, AS_OF).await;
        let totals =
            Totals { acked: 2, ok: 1, missing: 1, orphan: 1, orphan_records: 1, ..Totals::default() };
        assert_differs(&run, totals);
        assert_eq!(brief(&run), ["orphan cafe\u{301}-1", "missing caf\u{e9}-1"]);
        // Files hold the exact bytes; what a person reads writes the combining accent out.
        for format in [Format::Json, Format::Csv] {
            let text = report(&run, format);
            assert!(text.contains("cafe\u{301}-1") && text.contains("caf\u{e9}-1"), "{text}");
        }
        for format in [Format::Table, Format::Html] {
            let text = report(&run, format);
            assert!(text.contains("cafe\\u{301}-1") && text.contains("caf\u{e9}-1"), "{text}");
        }
    })
    .await;
}

#[tokio::test]
async fn d21_long_ids_stay_whole_in_files_and_apart_on_the_terminal() {
    let one = "x".repeat(150) + "1" + &"x".repeat(149);
    let two = "x".repeat(150) + "2" + &"x".repeat(149);
    let story = |receipts: &str| {
        format!(
            "day 2026-03-02\nevent {one} acked 10:00:00 10:00:00\nevent {two} acked 10:00:00 10:00:00\n{receipts}"
        )
    };
    on(&DIALECTS, async |place| {
        tell(place, &story("")).await;
        let config = told(place, &Flow::default().rules);
        let run = run_day(&config, DAY, AS_OF).await;
        assert_differs(&run, Totals { acked: 2, missing: 2, ..Totals::default() });
        let json = json(&run);
        let ids: Vec<_> = json["differences"].as_array().unwrap().iter().map(|it| &it["id"]).collect();
        assert_eq!(ids, [&serde_json::Value::from(one.as_str()), &serde_json::Value::from(two.as_str())]);
        let csv = report(&run, Format::Csv);
        assert!(csv.contains(&one) && csv.contains(&two), "{csv}");
        let table = report(&run, Format::Table);
        let mut shown: Vec<_> = table.split_whitespace().filter(|word| word.starts_with('#')).collect();
        shown.dedup();
        assert_eq!(shown.len(), 2, "each cut id ends in a mark of its own:\n{table}");

        let rows = [&one, &two].map(|id| {
            format!("INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at) VALUES ({}, 'billing', '{id}', '2026-03-02 10:00:01')", &id[150..151])
        });
        place.execute(&rows).await;
        assert_balanced(&run_day(&config, DAY, AS_OF).await, all_ok(2));
    })
    .await;
}
