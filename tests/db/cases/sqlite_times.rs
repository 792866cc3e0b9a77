//! Times without a type: numbers whose unit nobody wrote down, and text in many forms.

use super::common::{
    AS_OF, DAY, Tables, all_ok, assert_balanced, assert_misconfigured, assert_nowhere, counts, longest, on,
};
use crate::world::{at, brief, flow, program, run_day};
use msgrecon::config::Dialect;
use msgrecon::model::{Outcome, Run};

/// Milliseconds at the producer, seconds at the consumer.
const EPOCHS: [&str; 4] = [
    "CREATE TABLE events (msg_id TEXT PRIMARY KEY, status TEXT, created_at INTEGER, acked_at INTEGER)",
    "CREATE TABLE consumed (msg_id TEXT, consumer TEXT, consumed_at INTEGER, PRIMARY KEY (msg_id, consumer))",
    "INSERT INTO events VALUES ('q1', 'SENT', 1772445600000, 1772445600000)",
    "INSERT INTO consumed VALUES ('q1', 'billing', 1772445605)",
];

const MILLIS: &str = "created_at = { column = \"created_at\", format = \"epoch-ms\" }\n\
                      acked_at = { column = \"acked_at\", format = \"epoch-ms\" }\n";
const SECONDS: &str = "consumed_at = { column = \"consumed_at\", format = \"epoch-s\" }\n";

/// What a mix of units would give: 1970 and far future years.
fn assert_no_false_year(run: &Run) {
    assert_nowhere(run, &["1970-", "58135-", "58136-", "58137-"]);
}

#[tokio::test]
async fn d10_epoch_milliseconds_on_one_side_and_seconds_on_the_other() {
    on(&[Dialect::Sqlite], async |place| {
        place.execute(&EPOCHS).await;
        let declared = Tables { events: MILLIS, consumer: SECONDS };
        let run = run_day(&declared.toml(place), DAY, AS_OF).await;
        assert_balanced(&run, all_ok(1));
        assert_eq!(longest(&run), "5.0");
        let hour = counts(&run).windows.iter().find(|(_, totals)| totals.acked == 1).unwrap().0;
        assert_eq!(hour.0.from, at("2026-03-02T10:00:00Z"));
        assert_no_false_year(&run);

        // Undeclared at one side or at both: refused, never guessed and never shown as 0.
        for (events, consumer, column) in
            [("", "", "acked_at"), ("", SECONDS, "acked_at"), (MILLIS, "", "consumed_at")]
        {
            let run = run_day(&Tables { events, consumer }.toml(place), DAY, AS_OF).await;
            if column == "acked_at" {
                assert!(flow(&run).events.is_none());
                assert_misconfigured(&run, &["a number", "epoch-ms"]);
            } else {
                assert_misconfigured(&run, &[column, "a number", "epoch-s"]);
            }
            assert_no_false_year(&run);
        }
    })
    .await;
}

#[tokio::test]
async fn d10_an_undeclared_unit_is_refused_whatever_else_the_column_holds() {
    on(&[Dialect::Sqlite], async |place| {
        place.execute(&EPOCHS).await;
        let readable: Vec<_> = (0..300)
            .map(|n| format!("('r{n}', 'SENT', '2026-03-02 11:00:00', '2026-03-02 11:00:00')"))
            .collect();
        place.execute(&[format!("INSERT INTO events VALUES {}", readable.join(", "))]).await;
        let run = run_day(&Tables { events: "", consumer: SECONDS }.toml(place), DAY, AS_OF).await;
        assert_misconfigured(&run, &["a number", "epoch-ms"]);
        assert_no_false_year(&run);
    })
    .await;
}

#[tokio::test]
async fn d10_the_program_refuses_an_undeclared_unit() {
    on(&[Dialect::Sqlite], async |place| {
        place.execute(&EPOCHS).await;
        let folder = tempfile::tempdir().unwrap();
        let arguments = ["run", "--date", DAY, "--as-of", AS_OF];
        let declared = Tables { events: MILLIS, consumer: SECONDS }.toml(place);
        let output = program(folder.path(), &declared, &arguments);
        assert_eq!(output.status.code(), Some(0), "{output:?}");
        let output = program(folder.path(), &Tables::PLAIN.toml(place), &arguments);
        assert_eq!(output.status.code(), Some(2), "{output:?}");
        let said = String::from_utf8(output.stdout).unwrap();
        assert!(said.contains("INCOMPLETE") && said.contains("epoch-ms"), "{said}");
        assert!(!said.contains("1970-") && !said.contains("5813"), "{said}");
    })
    .await;
}

/// One day in several forms, the days before and after, and something that is no time.
const TEXTS: [&str; 15] = [
    "CREATE TABLE events (msg_id TEXT PRIMARY KEY, status TEXT, created_at TEXT, acked_at TEXT)",
    "CREATE TABLE consumed (msg_id TEXT, consumer TEXT, consumed_at TEXT, PRIMARY KEY (msg_id, consumer))",
    "INSERT INTO events VALUES ('d1', 'SENT', '2026-03-02 10:00:00', '2026-03-02 10:00:00')",
    "INSERT INTO events VALUES ('d2', 'SENT', '2026-03-02T10:00:00Z', '2026-03-02T10:00:00Z')",
    "INSERT INTO events VALUES ('d3', 'SENT', '2026-03-02T18:00:00+08:00', '2026-03-02T18:00:00+08:00')",
    "INSERT INTO events VALUES ('d4', 'SENT', '2026-03-02 10:00:00.123456', '2026-03-02 10:00:00.123456')",
    "INSERT INTO events VALUES ('d5', 'SENT', '2026-03-01 23:00:00', '2026-03-01 23:00:00')",
    "INSERT INTO events VALUES ('d6', 'SENT', '2026-03-03 10:00:00', '2026-03-03 10:00:00')",
    "INSERT INTO events VALUES ('d7', 'SENT', 'yesterday', 'yesterday')",
    "INSERT INTO consumed VALUES ('d1', 'billing', '2026-03-02 10:00:01')",
    "INSERT INTO consumed VALUES ('d2', 'billing', '2026-03-02T10:00:01Z')",
    "INSERT INTO consumed VALUES ('d3', 'billing', '2026-03-02T18:00:01+08:00')",
    "INSERT INTO consumed VALUES ('d4', 'billing', '2026-03-02 10:00:01.123456')",
    "INSERT INTO consumed VALUES ('d5', 'billing', '2026-03-01 23:00:01')",
    "INSERT INTO consumed VALUES ('d6', 'billing', '2026-03-03 10:00:01')",
];

#[tokio::test]
async fn d13_text_times_in_several_formats() {
    let indexes =
        ["CREATE INDEX at ON events (acked_at)", "CREATE INDEX consumed_at ON consumed (consumed_at)"];
    for indexes in [&[][..], &indexes[..]] {
        on(&[Dialect::Sqlite], async |place| {
            place.execute(&TEXTS).await;
            place.execute(indexes).await;
            let run = run_day(&Tables::PLAIN.toml(place), DAY, AS_OF).await;
            assert!(run.problems.is_empty(), "{:#?}", run.problems);
            assert_eq!((counts(&run).totals, counts(&run).residual()), (all_ok(4), 0));
            assert_eq!(
                (brief(&run), run.outcome),
                (vec!["unattributable d7".to_owned()], Outcome::Differences)
            );
            assert_eq!(flow(&run).events.unwrap().unattributable, 1);
            assert!(run.differences[0].detail.contains("unusable"), "{:?}", run.differences);
            assert_eq!(longest(&run), "1.0");
        })
        .await;
    }
}

#[tokio::test]
async fn d13_the_days_before_and_after_hold_the_others() {
    on(&[Dialect::Sqlite], async |place| {
        place.execute(&TEXTS).await;
        for (day, hour) in [("2026-03-01", "2026-03-01T23:00:00Z"), ("2026-03-03", "2026-03-03T10:00:00Z")] {
            let run = run_day(&Tables::PLAIN.toml(place), day, "2026-03-04T06:00:00Z").await;
            assert_eq!((counts(&run).totals, counts(&run).residual()), (all_ok(1), 0), "{day}");
            let window = counts(&run).windows.iter().find(|(_, totals)| totals.acked == 1).unwrap().0;
            assert_eq!(window.0.from, at(hour));
        }
    })
    .await;
}
