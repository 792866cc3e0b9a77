//! Sources that fail: each ends as a named problem with no count shown for what was not read, and the other flows are
//! judged all the same.

mod cut;
mod missing;
mod read_only;
mod rights;

use crate::child;
use crate::world::{DIALECTS, Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Story};
use serde_json::Value;
use std::path::Path;
use std::process::Output;

const DAY: &str = "2026-03-02";
const AS_OF: &str = "2026-03-03T06:00:00Z";

/// One message consumed, one lost.
const STORY: &str = "day 2026-03-02\nevent a acked 10:00:00 10:00:00\nreceipt a billing 10:00:01\n\
                     event b acked 11:00:00 11:00:00\n";

/// One message, consumed, on SQLite: the flow that is judged whatever happens to the other.
const STEADY: &str = "day 2026-03-02\nevent s acked 10:00:00 10:00:00\nreceipt s billing 10:00:01";

/// The story in a new database.
async fn told(dialect: Dialect, story: &str) -> Option<Place> {
    let place = Place::new(dialect).await?;
    for half in [Half::Producer, Half::Consumer] {
        place.tell(&Story::parse(story).unwrap(), half, false).await;
    }
    Some(place)
}

/// The test on each kind of database.
async fn everywhere(test: impl AsyncFn(&Place)) {
    for dialect in DIALECTS {
        let Some(place) = told(dialect, STORY).await else { continue };
        eprintln!("on {dialect:?}");
        test(&place).await;
        place.remove().await;
    }
}

fn database(name: &str, url: &str) -> String {
    format!("[databases.{name}]\nurl = '{url}'\ntime_zone = \"UTC\"\nstatement_timeout = \"2s\"\n\n")
}

fn usual() -> String {
    Flow { dead_letters: false, ..Flow::default() }.toml()
}

/// What went wrong in a run of two flows, of which the steady one is balanced.
struct Outcome {
    report: Value,
    output: Output,
}

impl Outcome {
    /// The flow that fails.
    fn flow(&self) -> &Value {
        &self.report["flows"][0]
    }

    /// Its problem's source and message.
    fn problem(&self) -> (&str, &str) {
        let problems = self.report["problems"].as_array().unwrap();
        assert!(!problems.is_empty(), "{}", child::said(&self.output));
        assert!(problems.iter().all(|problem| problem["flow"] == "orders"), "{problems:?}");
        (problems[0]["source"].as_str().unwrap(), problems[0]["message"].as_str().unwrap())
    }

    /// Exit 3, the steady flow judged, and nothing of the failed flow's consumer shown as counted.
    fn assert_failed(&self, source: &str, words: &[&str]) {
        assert_eq!(child::code(&self.output), 3, "{}", child::said(&self.output));
        let run = &self.report["run"];
        assert_eq!((&run["outcome"], &run["complete"]), (&"incomplete".into(), &false.into()));
        assert_eq!(self.report["total"], 0, "a failed source proves no difference");
        let consumer = &self.flow()["consumers"][0];
        assert!(consumer["totals"].is_null() && consumer["receipts"].is_null(), "{consumer}");
        child::assert_no_zero(consumer);
        let (named, message) = self.problem();
        eprintln!("{message}");
        assert_eq!(named, source, "{message}");
        let lower = message.to_lowercase();
        assert!(words.iter().all(|word| lower.contains(word)), "{words:?} are not in: {message}");
        let steady = &self.report["flows"][1];
        assert_eq!((&steady["outcome"], &steady["complete"]), (&"balanced".into(), &true.into()));
        assert_eq!(steady["consumers"][0]["totals"]["ok"], 1);
    }

    /// The event table itself could not be read.
    fn assert_events_unread(&self) {
        assert!(self.flow()["events"].is_null(), "{}", self.flow());
    }
}

/// Runs the program over `databases` and `flow`, and over a steady flow on SQLite.
async fn run(databases: &str, flow: &str) -> Outcome {
    let steady = told(Dialect::Sqlite, STEADY).await.unwrap();
    let folder = tempfile::tempdir().unwrap();
    let outcome = run_in(folder.path(), databases, flow, &steady);
    steady.remove().await;
    outcome
}

fn run_in(folder: &Path, databases: &str, flow: &str, steady: &Place) -> Outcome {
    let other = usual()
        .replace("name = \"orders\"", "name = \"steady\"")
        .replace("database = \"p\"", "database = \"s\"")
        .replace("database = \"c\"", "database = \"s\"");
    let config = databases.to_owned() + &database("s", &steady.url) + flow + &other;
    let arguments = format!("run --date {DAY} --as-of {AS_OF} --format json --output reports");
    let output = child::run(folder, &config, &arguments);
    let report = child::json(&output);
    let file = std::fs::read(folder.join("reports/report.json")).unwrap();
    assert_eq!(file, output.stdout, "the file says the same");
    Outcome { report, output }
}
