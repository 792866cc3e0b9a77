//! A failing source is not an empty source.

use super::{AS_OF, DAY};
use crate::account::Account;
use crate::child;
use crate::world::{DIALECTS, Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Story};
use serde_json::Value;
use std::path::Path;

const LOST: &str = "day 2026-03-02\nevent a acked 10:00:00 10:00:00";
const HEALTHY: &str = "day 2026-03-02\nevent h acked 10:00:00 10:00:00\nreceipt h billing 10:00:01";

/// The usual flow under this name, between these databases.
fn pipeline(name: &str, producer: &str, consumer: &str) -> String {
    let flow = Flow { dead_letters: false, ..Flow::default() }.toml();
    flow.replace("name = \"orders\"", &format!("name = \"{name}\""))
        .replace("database = \"p\"", &format!("database = \"{producer}\""))
        .replace("database = \"c\"", &format!("database = \"{consumer}\""))
}

fn database(name: &str, url: &str) -> String {
    format!("[databases.{name}]\nurl = '{url}'\ntime_zone = \"UTC\"\n\n")
}

/// Where nobody answers.
fn refused(dialect: Dialect, folder: &Path) -> String {
    match dialect {
        Dialect::Sqlite => format!("sqlite://{}", folder.join("nowhere.db").display()),
        Dialect::Postgres => "postgres://app@127.0.0.1:1/shop".to_owned(),
        Dialect::Mysql => "mysql://app@127.0.0.1:1/shop".to_owned(),
    }
}

/// P1: no dedup table. P2: no right to read the events (on SQLite: no database). P3: nobody there. P4: healthy.
fn four(lost: &Place, healthy: &Place, denied: &str, refused: &str) -> String {
    let databases = database("lost", &lost.url)
        + &database("healthy", &healthy.url)
        + &database("denied", denied)
        + &database("refused", refused);
    databases
        + &pipeline("P1", "lost", "lost")
        + &pipeline("P2", "denied", "healthy")
        + &pipeline("P3", "refused", "refused")
        + &pipeline("P4", "healthy", "healthy")
}

fn problem<'r>(report: &'r Value, flow: &str) -> (&'r str, &'r str) {
    let problems = report["problems"].as_array().unwrap();
    let own: Vec<_> = problems.iter().filter(|problem| problem["flow"] == flow).collect();
    assert!(!own.is_empty(), "{flow} has no problem: {problems:?}");
    (own[0]["source"].as_str().unwrap(), own[0]["message"].as_str().unwrap())
}

fn check(report: &Value, dialect: Dialect) {
    let run = &report["run"];
    assert_eq!((&run["outcome"], &run["complete"]), (&"incomplete".into(), &false.into()));
    assert_eq!((&run["exit_code"], &report["total"]), (&3.into(), &0.into()), "no `missing` for a");
    let flows = report["flows"].as_array().unwrap();
    for flow in &flows[..3] {
        assert_eq!((&flow["outcome"], &flow["verdict"]), (&"incomplete".into(), &"pass".into()), "{flow}");
        child::assert_no_zero(&flow["consumers"]);
        assert!(flow["consumers"][0]["totals"].is_null());
    }
    assert_eq!(flows[0]["events"]["acked"], 1, "what could be read is there");
    assert!(flows[1]["events"].is_null() && flows[2]["events"].is_null());
    let ((first, one), (second, two), (third, three)) =
        (problem(report, "P1"), problem(report, "P2"), problem(report, "P3"));
    eprintln!("{one}\n{two}\n{three}");
    assert_eq!((first, second, third), ("lost", "denied", "refused"));
    assert!(one.contains("consumed_message") && one.contains("billing"), "{one}");
    let (refusal, nobody) = match dialect {
        Dialect::Sqlite => (["not a database", "text.db"], ["no file", "nowhere.db"]),
        Dialect::Postgres | Dialect::Mysql => (["denied", "event"], ["127.0.0.1:1", "refused"]),
    };
    assert!(refusal.iter().all(|word| two.contains(word)), "{two}");
    assert!(nobody.iter().all(|word| three.contains(word)), "{three}");
    let healthy = &flows[3];
    assert_eq!((&healthy["outcome"], &healthy["complete"]), (&"balanced".into(), &true.into()));
    assert_eq!(healthy["consumers"][0]["totals"]["ok"], 1);
}

fn run(dialect: Dialect, lost: &Place, healthy: &Place, denied: &str) {
    let folder = tempfile::tempdir().unwrap();
    let config = four(lost, healthy, denied, &refused(dialect, folder.path()));
    let arguments = format!("run --date {DAY} --as-of {AS_OF} --output reports --format json");
    let output = child::run(folder.path(), &config, &arguments);
    assert_eq!(child::code(&output), 3, "{}", child::said(&output));
    check(&child::json(&output), dialect);
    let read = |name: &str| std::fs::read_to_string(folder.path().join("reports").join(name)).unwrap();
    assert_eq!(read("report.json"), child::out(&output));
    let windows = read("windows.csv");
    for flow in ["P1", "P2", "P3"] {
        let line = windows.lines().find(|line| line.starts_with(&format!("{flow},"))).unwrap();
        assert!(line.contains("not judged") && !line.contains(",0"), "{line}");
    }
    let shown = child::out(&child::run(folder.path(), &config, &format!("run --date {DAY} --as-of {AS_OF}")));
    assert!(["lost", "denied", "refused"].iter().all(|name| shown.contains(name)), "{shown}");
    // Nothing marks the failed windows as judged: the same run again reads the same.
    let again = child::run(folder.path(), &config, &arguments);
    check(&child::json(&again), dialect);
}

#[tokio::test]
async fn d38_a_failing_source_is_not_an_empty_source() {
    for dialect in DIALECTS {
        let (Some(lost), Some(healthy)) = (Place::new(dialect).await, Place::new(dialect).await) else {
            continue;
        };
        eprintln!("on {dialect:?}");
        lost.tell(&Story::parse(LOST).unwrap(), Half::Producer, false).await;
        for half in [Half::Producer, Half::Consumer] {
            healthy.tell(&Story::parse(HEALTHY).unwrap(), half, false).await;
        }
        if let Some(account) = Account::new(&healthy).await {
            account.may_read("consumed_message").await;
            run(dialect, &lost, &healthy, &account.url());
            account.remove().await;
        } else {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("text.db");
            std::fs::write(&file, "This is a text and no database at all. ".repeat(50)).unwrap();
            run(dialect, &lost, &healthy, &format!("sqlite://{}", file.display()));
        }
        healthy.remove().await;
        lost.remove().await;
    }
}
