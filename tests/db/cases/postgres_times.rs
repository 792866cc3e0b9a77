//! Times on `PostgreSQL`: columns with and without a zone, and times that never come.

use super::common::{AS_OF, DAY, Tables, all_ok, assert_balanced, assert_differs, counts, longest, on};
use crate::world::{at, brief, flow, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::Totals;

const MIXED: [&str; 4] = [
    "CREATE TABLE events (msg_id TEXT PRIMARY KEY, status TEXT, created_at TIMESTAMP, acked_at TIMESTAMP)",
    "CREATE TABLE consumed (msg_id TEXT, consumer TEXT, consumed_at TIMESTAMPTZ, PRIMARY KEY (msg_id, consumer))",
    "INSERT INTO events VALUES ('p1', 'SENT', '2026-03-02 23:30:00', '2026-03-02 23:30:00')",
    "INSERT INTO consumed VALUES ('p1', 'billing', '2026-03-02 23:30:05+00')",
];

#[tokio::test]
async fn d07_timestamp_on_one_side_and_timestamptz_on_the_other() {
    on(&[Dialect::Postgres], async |place| {
        place.execute(&MIXED).await;
        let name = place.url.rsplit_once('/').unwrap().1;
        for zone in ["Asia/Shanghai", "UTC"] {
            // The role's setting in this database alone.
            place
                .execute(&[format!("ALTER ROLE CURRENT_USER IN DATABASE {name} SET timezone = '{zone}'")])
                .await;
            let config = Tables::PLAIN.toml(place);
            let run = run_day(&config, "2026-03-02", "2026-03-04T06:00:00Z").await;
            assert_balanced(&run, all_ok(1));
            assert_eq!(longest(&run), "5.0", "{zone}");
            let window = counts(&run).windows.iter().find(|(_, totals)| totals.acked == 1).unwrap().0;
            assert_eq!(window.0.from, at("2026-03-02T23:00:00Z"));
            let next = run_day(&config, "2026-03-03", "2026-03-04T06:00:00Z").await;
            assert_balanced(&next, Totals::default());
        }
    })
    .await;
}

const INFINITE: [&str; 6] = [
    "CREATE TABLE events (msg_id TEXT PRIMARY KEY, status TEXT, created_at TIMESTAMPTZ, acked_at TIMESTAMPTZ)",
    "CREATE TABLE consumed (msg_id TEXT, consumer TEXT, consumed_at TIMESTAMPTZ, PRIMARY KEY (msg_id, consumer))",
    "INSERT INTO events VALUES ('i1', 'SENT', '2026-03-02 09:00:00+00', 'infinity')",
    "INSERT INTO events VALUES ('i2', 'SENT', '2026-03-02 09:05:00+00', '-infinity')",
    "INSERT INTO events VALUES ('i3', 'SENT', '2026-03-02 10:00:00+00', '2026-03-02 10:00:00+00')",
    "INSERT INTO consumed VALUES ('i1', 'billing', '2026-03-02 09:00:01+00')",
];

#[tokio::test]
async fn d08_infinite_ack_times() {
    on(&[Dialect::Postgres], async |place| {
        place.execute(&INFINITE).await;
        for index in ["", "CREATE INDEX at ON events (acked_at)"] {
            place.execute(&[index].into_iter().filter(|it| !it.is_empty()).collect::<Vec<_>>()).await;
            let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
            assert_differs(&run, Totals { acked: 1, missing: 1, ..Totals::default() });
            assert_eq!(brief(&run), ["unattributable i1", "unattributable i2", "missing i3"]);
            assert_eq!(flow(&run).events.unwrap().unattributable, 2);
            let named = run.differences.iter().filter(|one| one.detail.contains("ack time is unusable"));
            assert_eq!(named.count(), 2, "{:#?}", run.differences);
            assert_eq!(flow(&run).backlog.unwrap().count, 0);
            assert_eq!(run.exit_code, 1);
        }
    })
    .await;
}

#[tokio::test]
async fn d08_infinite_times_of_waiting_events_and_receipts() {
    on(&[Dialect::Postgres], async |place| {
        place.execute(&INFINITE).await;
        place
            .execute(&[
                "INSERT INTO events VALUES ('i4', 'PENDING', 'infinity', NULL)",
                "INSERT INTO consumed VALUES ('i3', 'billing', 'infinity')",
            ])
            .await;
        let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
        // A receipt without a usable time still proves that the message was consumed.
        assert_differs_in_events(&run);
        assert_eq!(counts(&run).totals, all_ok(1));
        assert_eq!(brief(&run), ["unattributable i1", "unattributable i2", "unattributable i4"]);
        let backlog = flow(&run).backlog.unwrap();
        assert_eq!((backlog.count, backlog.undated), (1, 1));
    })
    .await;
}

fn assert_differs_in_events(run: &msgrecon::model::Run) {
    assert!(run.problems.is_empty(), "{:#?}", run.problems);
    assert_eq!((run.outcome, run.complete), (msgrecon::model::Outcome::Differences, true));
}
