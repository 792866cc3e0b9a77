//! Statements that are cancelled, and runs that are killed.

use super::{AS_OF, DAY, config, usual};
use crate::account::Account;
use crate::child;
use crate::net::{Mischief, Relay, at_port, host_and_port};
use crate::world::{DIALECTS, Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Story};
use serde_json::Value;
use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

const MESSAGES: usize = 2_000;
/// How `PostgreSQL` says that a statement was cancelled.
const CANCELLED: &[u8] = b"C57014\0";

/// As many messages, a second apart; all consumed unless told otherwise.
fn story(messages: usize, consumed: bool) -> Story {
    let mut text = format!("day {DAY}\n");
    for number in 0..messages {
        let (hour, minute, second) = (number / 3_600, number / 60 % 60, number % 60);
        let at = format!("{hour:02}:{minute:02}:{second:02}");
        let _ = writeln!(text, "event m{number} acked {at} {at}");
        if consumed {
            let _ = writeln!(text, "receipt m{number} billing {at}.5");
        }
    }
    Story::parse(&text).unwrap()
}

/// 2,000 messages; one of the receipts takes half a second to read.
async fn slow() -> Option<Place> {
    let place = Place::new(Dialect::Postgres).await?;
    for half in [Half::Producer, Half::Consumer] {
        place.tell(&story(MESSAGES, true), half, false).await;
    }
    let view = "CREATE VIEW consumed AS SELECT * FROM consumed_message WHERE nr <> 1500 OR pg_sleep(0.5) IS NOT NULL";
    place.execute(&[view]).await;
    Some(place)
}

fn slow_config(place: &Place, url: &str) -> String {
    let flow = Flow { dead_letters: false, ..Flow::default() }
        .toml()
        .replace("\"consumed_message\"", "\"consumed\"");
    place.toml("p") + &place.toml("c").replace(&place.url, url) + &flow
}

const ARGUMENTS: &str = "run --date 2026-03-02 --as-of 2026-03-03T06:00:00Z --format json --output reports";

#[tokio::test]
async fn d40_statement_cancelled_in_the_middle_of_a_run() {
    let Some(place) = slow().await else { return };
    let account = Account::new(&place).await.unwrap();
    account.may_read("consumed").await;
    place.execute(&[format!("ALTER ROLE {} SET statement_timeout = '200ms'", account.who())]).await;
    let relay = Relay::new(host_and_port(&place.url), Mischief::default());
    let config = slow_config(&place, &at_port(&account.url(), relay.port));
    let folder = tempfile::tempdir().unwrap();

    let start = Instant::now();
    let output = child::run(folder.path(), &config, ARGUMENTS);
    assert!(start.elapsed() < Duration::from_secs(30), "it ends in bounded time: {:?}", start.elapsed());
    assert_eq!(child::code(&output), 3, "{}", child::said(&output));
    let cancelled = relay.heard(CANCELLED);
    // Three attempts at each of the statements that read the view: its undated rows, then its rows of the range.
    assert!((1..=6).contains(&cancelled), "cancelled {cancelled} times");
    let report = child::json(&output);
    let consumer = &report["flows"][0]["consumers"][0];
    assert!(consumer["totals"].is_null() && consumer["windows"] == Value::Array(Vec::new()), "{consumer}");
    assert_eq!((&report["total"], &report["run"]["complete"]), (&0.into(), &false.into()));
    assert_eq!(report["problems"][0]["source"], "c");
    // What lies under the final name is whole, and says itself that it is incomplete.
    let file: Value =
        serde_json::from_slice(&std::fs::read(folder.path().join("reports/report.json")).unwrap()).unwrap();
    assert_eq!(file, report);

    place.execute(&[format!("ALTER ROLE {} RESET statement_timeout", account.who())]).await;
    let output = child::run(folder.path(), &config, ARGUMENTS);
    assert_eq!(child::code(&output), 0, "{}", child::said(&output));
    let report = child::json(&output);
    assert_eq!((&report["run"]["outcome"], &report["run"]["complete"]), (&"balanced".into(), &true.into()));
    assert_eq!(report["flows"][0]["consumers"][0]["totals"]["ok"], MESSAGES);
    account.remove().await;
    place.remove().await;
}

/// Report files that are being written. An empty one is only there to try the folder out.
fn begun(reports: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(reports).into_iter().flatten().flatten();
    let written = entries.filter(|entry| entry.metadata().is_ok_and(|data| data.len() > 0));
    let names = written.map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name.starts_with(".msgrecon-")).collect()
}

/// Starts a run and kills it as soon as it has begun to write its `nr`th report file; how many it had begun.
fn killed_while_writing(folder: &Path, config: &str, nr: usize) -> usize {
    let reports = folder.join("reports");
    // What an earlier kill left behind.
    let left = begun(&reports);
    let mut command = child::command(folder, config);
    let command = command.args(ARGUMENTS.split(' ')).stdout(Stdio::null()).stderr(Stdio::null());
    let mut child = command.spawn().unwrap();
    let (start, mut seen) = (Instant::now(), BTreeSet::new());
    while child.try_wait().unwrap().is_none() {
        assert!(start.elapsed() < Duration::from_mins(2), "the run does not end");
        seen.extend(begun(&reports).difference(&left).cloned());
        if seen.len() >= nr {
            child.kill().unwrap();
        }
    }
    eprintln!("{} report files were begun, of {nr}", seen.len());
    seen.len()
}

/// Every report under its final name is whole.
fn assert_whole(folder: &Path) {
    let mut seen = 0;
    for (path, bytes) in child::files(&folder.join("reports")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let text = String::from_utf8_lossy(&bytes);
        match name.as_str() {
            "report.json" => drop(serde_json::from_slice::<Value>(&bytes).unwrap()),
            "report.html" => assert!(text.trim_end().ends_with("</html>")),
            "windows.csv" | "differences.csv" => {
                let lines = csv::Reader::from_reader(&bytes[..]).records().map(Result::unwrap).count();
                assert!(text.ends_with('\n') && lines > 0, "{name}");
            }
            _ => continue,
        }
        seen += 1;
    }
    assert!(seen <= 4);
}

/// The id of the run whose `report.json` lies there; `None` where none does.
fn reported(folder: &Path) -> Option<String> {
    let report: Value =
        serde_json::from_slice(&std::fs::read(folder.join("reports/report.json")).ok()?).unwrap();
    let id = report["run"]["id"].as_str().unwrap().to_owned();
    let page = std::fs::read_to_string(folder.join("reports/report.html")).unwrap();
    // `report.json` is written last, so that the others are of the same run or of a later one.
    assert_eq!(report["total"], 7_999);
    (page.contains(&id)).then_some(id)
}

#[tokio::test]
async fn d40_killed_while_it_writes_its_report() {
    let place = Place::new(Dialect::Sqlite).await.unwrap();
    place.tell(&story(8_000, false), Half::Producer, true).await;
    place.tell(&story(1, true), Half::Consumer, true).await;
    let config = config(&place, &usual());
    let folder = tempfile::tempdir().unwrap();
    let json = folder.path().join("reports/report.json");

    let mut in_time = 0;
    for nr in [1, 2, 3, 4, 1, 2, 3, 4] {
        let old = std::fs::read(&json).ok();
        let begun = killed_while_writing(folder.path(), &config, nr);
        assert_whole(folder.path());
        let now = std::fs::read(&json).ok();
        in_time += usize::from(begun > 0 && now == old);
        // The next run works, and its report is whole.
        if nr == 4 {
            let output = child::run(folder.path(), &config, ARGUMENTS);
            assert_eq!(child::code(&output), 1, "{}", child::err(&output));
            assert_eq!(std::fs::read(&json).unwrap(), output.stdout);
            assert_eq!(reported(folder.path()).as_deref(), child::json(&output)["run"]["id"].as_str());
        } else if now != old {
            assert!(reported(folder.path()).is_some(), "report.json is new before the others are");
        }
    }
    assert!(in_time > 0, "no run was killed in the middle of its report");
}

/// A lock on a table is no end of the world either: the statement is given up, and the source is named.
#[tokio::test]
async fn d40_a_locked_table_ends_the_run_in_bounded_time() {
    for dialect in DIALECTS.into_iter().filter(|dialect| *dialect == Dialect::Postgres) {
        let Some(place) = Place::new(dialect).await else { continue };
        for half in [Half::Producer, Half::Consumer] {
            place.tell(&story(10, true), half, false).await;
        }
        let mut holder = <sqlx::PgConnection as sqlx::Connection>::connect(&place.url).await.unwrap();
        for statement in ["BEGIN", "LOCK TABLE consumed_message IN ACCESS EXCLUSIVE MODE"] {
            sqlx::query(statement).execute(&mut holder).await.unwrap();
        }
        let folder = tempfile::tempdir().unwrap();
        let limit = "statement_timeout = \"300ms\"\n\n[databases.c]";
        let config =
            config(&place, &usual()).replace("[databases.c]", "[databases.c]\nstatement_timeout = \"300ms\"");
        assert!(config.contains(limit.split("\n\n").next().unwrap()));
        let (start, arguments) = (Instant::now(), format!("run --date {DAY} --as-of {AS_OF} --format json"));
        let output = child::run(folder.path(), &config, &arguments);
        assert!(start.elapsed() < Duration::from_secs(30), "{:?}", start.elapsed());
        assert_eq!(child::code(&output), 3, "{}", child::said(&output));
        assert!(child::json(&output)["flows"][0]["consumers"][0]["totals"].is_null());
        sqlx::query("ROLLBACK").execute(&mut holder).await.unwrap();
        let output = child::run(folder.path(), &config, &arguments);
        assert_eq!(child::code(&output), 0, "{}", child::said(&output));
        drop(holder);
        place.remove().await;
    }
}
