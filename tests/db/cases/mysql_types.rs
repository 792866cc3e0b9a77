//! Column types of MySQL and MariaDB that drivers refuse or bend.

use super::common::{AS_OF, DAY, Tables, assert_differs, assert_misconfigured, counts, on};
use crate::world::{brief, flow, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::{Outcome, Totals};

/// Columns and their values: in the row that was consumed, and in the one that was not.
const COLUMNS: [(&str, &str, &str); 6] = [
    ("msg_id", "m-1", "m-2"),
    ("seq", "18446744073709551614", "18446744073709551615"),
    ("amount", "0.10", "0.20"),
    ("kind", "x", "y"),
    ("n", "-8388608", "8388607"),
    ("flag", "1", "0"),
];

fn rows() -> Vec<String> {
    let mut statements = vec![
        "CREATE TABLE events (msg_id VARBINARY(64) PRIMARY KEY, status TINYINT(1), flag BIT(1), seq BIGINT UNSIGNED, amount DECIMAL(20,2), \
         payload JSON, kind ENUM('x', 'y'), created_at DATETIME(3), acked_at DATETIME(3), n MEDIUMINT)"
            .to_owned(),
        "CREATE TABLE consumed (via VARCHAR(10), msg_id VARCHAR(64) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin, consumer VARCHAR(40), \
         consumed_at DATETIME(3))"
            .to_owned(),
    ];
    for place in [1, 2] {
        let value = |column: &str| {
            let (_, first, second) = COLUMNS.into_iter().find(|(name, ..)| *name == column).unwrap();
            if place == 1 { first } else { second }
        };
        statements.push(format!(
            "INSERT INTO events VALUES ('{}', 2, {}, {}, {}, '{{\"a\": {place}}}', '{}', '2026-03-02 10:00:00.123', '2026-03-02 10:00:00.123', {})",
            value("msg_id"), value("flag"), value("seq"), value("amount"), value("kind"), value("n")
        ));
    }
    for (column, first, _) in COLUMNS {
        statements.push(format!(
            "INSERT INTO consumed VALUES ('{column}', '{first}', 'billing', '2026-03-02 10:00:01.123')"
        ));
    }
    statements
}

/// The keys of a run with this column as id; a status of TINYINT(1) has more values than two.
fn keys(id: &str) -> (String, String) {
    let states = "acked = \"status = 2\"\npending = \"status = 0\"\nfailed = \"status = 4\"\n";
    (format!("id = \"{id}\"\n{states}"), format!("where = \"via = '{id}'\"\n"))
}

#[tokio::test]
async fn d55_each_type_as_id() {
    on(&[Dialect::Mysql], async |place| {
        place.execute(&rows()).await;
        for (column, _, missing) in COLUMNS {
            let (events, consumer) = keys(column);
            let run = run_day(&Tables { events: &events, consumer: &consumer }.toml(place), DAY, AS_OF).await;
            assert_differs(&run, Totals { acked: 2, ok: 1, missing: 1, ..Totals::default() });
            assert_eq!(brief(&run), [format!("missing {missing}")], "{column}");
        }
    })
    .await;
}

#[tokio::test]
async fn d55_each_type_as_status() {
    on(&[Dialect::Mysql], async |place| {
        place.execute(&rows()).await;
        for (acked, pending) in [
            ("flag = 1", "flag = 0"),
            ("kind = 'x'", "kind = 'y'"),
            ("n = -8388608", "n = 8388607"),
            ("seq = 18446744073709551614", "seq = 18446744073709551615"),
            ("amount = 0.10", "amount = 0.20"),
            ("JSON_VALUE(payload, '$.a') = 1", "JSON_VALUE(payload, '$.a') = 2"),
        ] {
            let events = format!("acked = \"{acked}\"\npending = \"{pending}\"\n");
            let consumer = keys("msg_id").1;
            let run = run_day(&Tables { events: &events, consumer: &consumer }.toml(place), DAY, AS_OF).await;
            assert_differs(&run, Totals { acked: 1, ok: 1, ..Totals::default() });
            assert_eq!(brief(&run), ["stuck m-2"], "{acked}");
        }
    })
    .await;
}

#[tokio::test]
async fn d55_values_of_tinyint_1_are_no_booleans() {
    on(&[Dialect::Mysql], async |place| {
        place.execute(&rows()).await;
        let more = [0, 1, 3, 4].map(|status| {
            format!(
                "INSERT INTO events (msg_id, status, created_at) VALUES ('s-{status}', {status}, '2026-03-02 11:00:00')"
            )
        });
        place.execute(&more).await;
        let (events, consumer) = keys("msg_id");
        let run = run_day(&Tables { events: &events, consumer: &consumer }.toml(place), DAY, AS_OF).await;
        assert_eq!(counts(&run).totals, Totals { acked: 2, ok: 1, missing: 1, ..Totals::default() });
        assert_eq!(brief(&run), ["missing m-2", "stuck s-0", "publish_failed s-4"]);
        let events = flow(&run).events.unwrap();
        assert_eq!((events.stuck, events.publish_failed, events.unknown_state), (1, 1, 2));
        assert_eq!((run.outcome, run.complete), (Outcome::Differences, false));
        assert!(run.problems[0].message.contains("s-1, s-3"), "{:?}", run.problems);
    })
    .await;
}

#[tokio::test]
async fn d55_json_as_id_is_refused_with_column_and_type() {
    on(&[Dialect::Mysql], async |place| {
        place.execute(&rows()).await;
        let (events, consumer) = keys("payload");
        let run = run_day(&Tables { events: &events, consumer: &consumer }.toml(place), DAY, AS_OF).await;
        assert_misconfigured(&run, &["payload", "json", "id"]);
    })
    .await;
}
