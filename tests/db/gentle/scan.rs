//! Large tables are not read from end to end, unless that is allowed.

use super::{ARGUMENTS, assert_balanced, assert_incomplete, config, tell};
use crate::child;
use crate::world::{DIALECTS, Place};
use msgrecon::config::Dialect;

const MESSAGES: usize = 300;

/// A database whose planner knows how large its tables are.
async fn large(dialect: Dialect, drop: &str) -> Option<Place> {
    let place = Place::new(dialect).await?;
    tell(&place, MESSAGES).await;
    let drop = match (drop, dialect) {
        ("", _) => None,
        (index, Dialect::Mysql) => Some(format!("ALTER TABLE consumed_message DROP INDEX {index}")),
        (index, _) => Some(format!("DROP INDEX {index}")),
    };
    place.execute(drop.as_slice()).await;
    let analyze = if dialect == Dialect::Mysql { "ANALYZE TABLE consumed_message" } else { "ANALYZE" };
    place.execute(&[analyze]).await;
    Some(place)
}

fn run(place: &Place, of_c: &str, of_consumer: &str) -> std::process::Output {
    let folder = tempfile::tempdir().unwrap();
    let text = config(place, of_c);
    let text = text.replace("name = \"billing\"\n", &format!("name = \"billing\"\n{of_consumer}\n"));
    child::run(folder.path(), &text, ARGUMENTS)
}

fn plan(place: &Place, of_c: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    child::out(&child::run(folder.path(), &config(place, of_c), "plan --sql --date 2026-03-02"))
}

#[tokio::test]
async fn a_large_table_without_an_index_is_refused_unless_that_is_allowed() {
    for dialect in DIALECTS {
        for (index, statement) in
            [("consumed_at", "receipts would"), ("consumed_msg_id", "receipts_by_id would")]
        {
            let Some(place) = large(dialect, index).await else { continue };
            let column = if index == "consumed_at" { "`consumed_at`" } else { "`msg_id`" };
            let refused = run(&place, "full_scan_rows = 100", "");
            let words = [
                "consumed_message",
                statement,
                "rows",
                column,
                "above 100",
                "allow_full_scan = true",
                "`consumers`",
            ];
            assert_incomplete(&refused, 2, &words);
            let planned = plan(&place, "full_scan_rows = 100");
            assert!(planned.contains("will be refused: ") && planned.contains("SELECT"), "{planned}");
            assert_balanced(&run(&place, "full_scan_rows = 100\nallow_full_scan = true", ""), MESSAGES);
            assert_balanced(&run(&place, "full_scan_rows = 100", "allow_full_scan = true"), MESSAGES);
            assert_balanced(&run(&place, "", ""), MESSAGES);
            place.remove().await;
        }
    }
}

#[tokio::test]
async fn one_with_indexes_is_read_and_its_plan_says_nothing() {
    for dialect in DIALECTS {
        let Some(place) = large(dialect, "").await else { continue };
        assert_balanced(&run(&place, "full_scan_rows = 100", ""), MESSAGES);
        place.remove().await;
    }
}

#[tokio::test]
async fn what_waits_for_the_relay_wants_an_index_too() {
    let Some(place) = Place::new(Dialect::Postgres).await else { return };
    tell(&place, 20).await;
    let more = "INSERT INTO event (nr, topic, msg_id, status, created_at, sent_at, sort, retry_count) \
                SELECT n, 'other', 'x' || n, 'acked', '2026-01-01', '2026-01-01', e.sort, 0 \
                FROM generate_series(1000, 60000) AS s (n), (SELECT min(sort) AS sort FROM event) AS e";
    place.execute(&[more, "ANALYZE event"]).await;
    let folder = tempfile::tempdir().unwrap();
    let text = config(&place, "").replacen(
        "time_zone = \"UTC\"\n",
        "time_zone = \"UTC\"\nfull_scan_rows = 50000\n",
        1,
    );
    assert_incomplete(&child::run(folder.path(), &text, ARGUMENTS), 2, &["events_backlog would", "`events`"]);
    place.execute(&["CREATE INDEX waiting ON event (nr) WHERE status = 'pending'"]).await;
    assert_balanced(&child::run(folder.path(), &text, ARGUMENTS), 20);
    place.remove().await;
}
