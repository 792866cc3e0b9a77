//! Times on MySQL and MariaDB: rounding, zones of the session, dates that are none.

use super::common::{
    AS_OF, DAY, Tables, all_ok, assert_balanced, assert_differs, assert_nowhere, counts, longest, on, skew,
};
use crate::world::{Place, at, brief, flow, run_day};
use futures_util::FutureExt as _;
use msgrecon::config::Dialect;
use msgrecon::model::{Run, Totals};
use sqlx::{AssertSqlSafe, Connection as _, Executor as _, MySqlConnection};
use std::panic::AssertUnwindSafe;

async fn connection(place: &Place) -> MySqlConnection {
    MySqlConnection::connect(&place.url).await.unwrap()
}

async fn text(connection: &mut MySqlConnection, query: &str) -> String {
    sqlx::query_scalar(AssertSqlSafe(query)).fetch_one(connection).await.unwrap()
}

/// The ack column keeps whole seconds; the server makes what it likes of the ack of `r1`.
fn whole_seconds(ack: &str) -> Vec<String> {
    vec![
        "CREATE TABLE events (msg_id VARCHAR(40) PRIMARY KEY, status VARCHAR(10), created_at DATETIME(0), acked_at DATETIME(0))"
            .to_owned(),
        "CREATE TABLE consumed (msg_id VARCHAR(40), consumer VARCHAR(40), consumed_at DATETIME(6), PRIMARY KEY (msg_id, consumer))"
            .to_owned(),
        format!("INSERT INTO events VALUES ('r1', 'SENT', '{ack}', '{ack}')"),
        "INSERT INTO events VALUES ('r2', 'SENT', '2026-03-02 12:00:00', '2026-03-02 12:00:00')".to_owned(),
        "INSERT INTO consumed VALUES ('r1', 'billing', '2026-03-02 23:59:59.900')".to_owned(),
        "INSERT INTO consumed VALUES ('r2', 'billing', '2026-03-02 12:00:01')".to_owned(),
    ]
}

/// Acked, longest latency and skew of the two days, which must both be balanced.
async fn two_days(place: &Place) -> [(u64, String, String); 2] {
    let config = Tables::PLAIN.toml(place);
    let mut days = Vec::new();
    for day in ["2026-03-02", "2026-03-03"] {
        let run = run_day(&config, day, "2026-03-04T06:00:00Z").await;
        let acked = counts(&run).totals.acked;
        assert_balanced(&run, all_ok(acked));
        assert!(flow(&run).breaches.is_empty(), "{:?}", flow(&run).breaches);
        days.push((acked, longest(&run), skew(&run)));
    }
    days.try_into().unwrap()
}

#[tokio::test]
async fn d03_whole_seconds_round_the_ack_into_the_next_window() {
    let seen = |acked, longest: &str, skew: &str| (acked, longest.to_owned(), skew.to_owned());
    let cut = [seen(2, "1.0", "0.0"), seen(0, "-", "-")];
    let rounded = [seen(1, "1.0", "0.0"), seen(1, "-", "0.1")];
    // As MySQL stores it, and as MariaDB does.
    for (ack, right) in [("2026-03-03 00:00:00", &rounded), ("2026-03-02 23:59:59", &cut)] {
        on(&[Dialect::Mysql], async |place| {
            place.execute(&whole_seconds(ack)).await;
            assert_eq!(&two_days(place).await, right, "stored as {ack}");
        })
        .await;
    }
    // As the server at hand stores it.
    on(&[Dialect::Mysql], async |place| {
        place.execute(&whole_seconds("2026-03-02 23:59:59.700")).await;
        let version = text(&mut connection(place).await, "SELECT VERSION()").await;
        let right = if version.contains("MariaDB") { &cut } else { &rounded };
        assert_eq!(&two_days(place).await, right, "{version}");
    })
    .await;
}

const TIMESTAMPS: [&str; 4] = [
    "CREATE TABLE events (msg_id VARCHAR(40) PRIMARY KEY, status VARCHAR(10), created_at TIMESTAMP NULL, acked_at TIMESTAMP NULL)",
    "CREATE TABLE consumed (msg_id VARCHAR(40), consumer VARCHAR(40), consumed_at TIMESTAMP(6) NULL, PRIMARY KEY (msg_id, consumer))",
    "INSERT INTO events VALUES ('s1', 'SENT', '2026-03-02 23:30:00', '2026-03-02 23:30:00')",
    "INSERT INTO consumed VALUES ('s1', 'billing', '2026-03-02 23:30:05')",
];

/// Both URLs, each with one connection and with four.
async fn by_each_url(place: &Place, day: &str) -> Vec<Run> {
    let mut runs = Vec::new();
    for zone in ["", "?timezone=%2B08:00", "?time-zone=%2B08:00"] {
        for connections in [1, 4] {
            let database = format!(
                "[databases.p]\nurl = '{}{zone}'\ntime_zone = \"UTC\"\nmax_connections = {connections}\n\n",
                place.url
            );
            runs.push(run_day(&(database + &Tables::PLAIN.flow()), day, "2026-03-04T06:00:00Z").await);
        }
    }
    runs
}

/// Sets the server's zone while `inside` runs. Other sessions of these tests name their own zone, and a lock keeps two
/// such tests apart.
async fn with_server_zone(place: &Place, zone: &str, inside: impl AsyncFnOnce()) {
    let mut own = connection(place).await;
    let lock = "SELECT CAST(GET_LOCK('msgrecon_test_global_time_zone', 300) AS CHAR)";
    assert_eq!(text(&mut own, lock).await, "1", "another test holds the server's zone");
    let before = text(&mut own, "SELECT @@GLOBAL.time_zone").await;
    let set = own.execute(AssertSqlSafe(format!("SET GLOBAL time_zone = '{zone}'"))).await;
    if let Err(refused) = &set {
        eprintln!("the server's own zone stays {before}, since this account may not change it: {refused}");
    }
    let outcome = AssertUnwindSafe(inside()).catch_unwind().await;
    if set.is_ok() {
        own.execute(AssertSqlSafe(format!("SET GLOBAL time_zone = '{before}'"))).await.unwrap();
    }
    own.close().await.unwrap();
    if let Err(panic) = outcome {
        std::panic::resume_unwind(panic);
    }
}

#[tokio::test]
async fn d05_session_zone_set_by_url_or_server() {
    on(&[Dialect::Mysql], async |place| {
        place.execute(&TIMESTAMPS).await;
        with_server_zone(place, "+08:00", async || {
            for run in by_each_url(place, "2026-03-02").await {
                assert_balanced(&run, all_ok(1));
                assert_eq!(longest(&run), "5.0");
            }
            for run in by_each_url(place, "2026-03-03").await {
                assert_balanced(&run, Totals::default());
            }
            place.execute(&["DELETE FROM consumed"]).await;
            for run in by_each_url(place, "2026-03-02").await {
                assert_eq!(brief(&run), ["missing s1"]);
                assert_eq!(run.differences[0].acked_at, Some(at("2026-03-02T23:30:00Z")));
            }
        })
        .await;
    })
    .await;
}

/// "Not yet" as the all-zero date, a date without a month, and a second table that has NULL.
const ZERO_DATES: [&str; 11] = [
    "SET SESSION sql_mode = ''",
    "CREATE TABLE events (msg_id VARCHAR(40) PRIMARY KEY, status VARCHAR(10), created_at DATETIME NOT NULL, \
     acked_at DATETIME NOT NULL DEFAULT '0000-00-00 00:00:00')",
    "CREATE TABLE events_null (msg_id VARCHAR(40) PRIMARY KEY, status VARCHAR(10), created_at DATETIME NOT NULL, acked_at DATETIME NULL)",
    "CREATE TABLE consumed (msg_id VARCHAR(40), consumer VARCHAR(40), consumed_at DATETIME, PRIMARY KEY (msg_id, consumer))",
    "INSERT INTO events (msg_id, status, created_at) VALUES ('z1', 'PENDING', '2026-03-02 10:00:00')",
    "INSERT INTO events (msg_id, status, created_at) VALUES ('z2', 'PENDING', '2026-03-02 10:00:00')",
    "INSERT INTO events VALUES ('z3', 'PENDING', '2026-03-02 10:00:00', '2026-00-15 00:00:00')",
    "INSERT INTO events VALUES ('z4', 'SENT', '2026-03-02 10:00:00', '2026-03-02 10:00:01')",
    "INSERT INTO events_null VALUES ('z5', 'PENDING', '2026-03-02 10:00:00', NULL)",
    "INSERT INTO consumed VALUES ('z2', 'billing', '2026-03-02 10:00:03')",
    "INSERT INTO consumed VALUES ('z4', 'billing', '2026-03-02 10:00:02')",
];

#[tokio::test]
async fn d09_zero_date_partial_date_and_null_as_ack_time() {
    on(&[Dialect::Mysql], async |place| {
        place.execute(&ZERO_DATES).await;
        for index in ["", "CREATE INDEX at ON events (acked_at)"] {
            place.execute(&[index].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>()).await;
            let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
            assert_differs(&run, Totals { ack_lost: 1, ack_lost_records: 1, ..all_ok(1) });
            assert_eq!(brief(&run), ["stuck z1", "ack_lost z2", "unattributable z3"]);
            let events = flow(&run).events.unwrap();
            assert_eq!((events.acked, events.stuck, events.ack_lost, events.unattributable), (1, 1, 1, 1));
            assert_eq!(flow(&run).backlog.unwrap().oldest, Some(at("2026-03-02T10:00:00Z")));
            assert_nowhere(&run, &["1970-", "0000-", "0001-", "-0001", "2026-00", "2025-12"]);
        }

        // The consumer's receipts of the other table's messages are orphans to this one.
        let null = Tables {
            events: "table = \"events_null\"\n",
            consumer: "where = \"msg_id NOT IN ('z2', 'z4')\"\n",
        };
        let run = run_day(&null.toml(place), DAY, AS_OF).await;
        assert_differs(&run, Totals::default());
        assert_eq!(brief(&run), ["stuck z5"]);
    })
    .await;
}
