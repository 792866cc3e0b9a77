//! The command line end to end: exit codes, what goes to stdout, what is left on the disk.

mod config;
mod help;
mod language;
mod ledger;
mod upkeep;

use crate::child;
use crate::world::{Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Story};
use std::io::Read as _;
use std::process::Stdio;
use tempfile::TempDir;

const DAY: &str = "--date 2026-03-02 --as-of 2026-03-03T06:00:00Z";
const FILES: [&str; 4] = ["differences.csv", "report.html", "report.json", "windows.csv"];

const BALANCED: &str = "event a acked 10:00:00 10:00:00\nreceipt a billing 10:00:01\n";
const LOST: &str = "event b acked 11:00:00 11:00:00\n";
const STUCK: &str = "event c pending 12:00:00 -\n";
const STRANGE: &str = "event d whatever 13:00:00 -\n";

/// A folder in which the program runs, and the database that it reads.
struct Shop {
    folder: TempDir,
    place: Place,
    config: String,
}

impl Shop {
    async fn new(story: &str) -> Self {
        Self::with(story, &Flow::default().toml()).await
    }

    async fn with(story: &str, flow: &str) -> Self {
        let place = Place::new(Dialect::Sqlite).await.unwrap();
        let story = Story::parse(&format!("day 2026-03-02\n{story}")).unwrap();
        for half in [Half::Producer, Half::Consumer] {
            place.tell(&story, half, false).await;
        }
        let config = place.toml("p") + &place.toml("c") + flow;
        Self { folder: tempfile::tempdir().unwrap(), place, config }
    }

    fn run(&self, arguments: &str) -> std::process::Output {
        child::run(self.folder.path(), &self.config, arguments)
    }
}

#[tokio::test]
async fn exit_codes_say_what_a_scheduler_must_know() {
    let cases = [
        (BALANCED.to_owned(), 0, "balanced", "pass"),
        (String::new(), 0, "balanced", "pass"),
        (BALANCED.to_owned() + STUCK, 0, "differences", "warn"),
        (BALANCED.to_owned() + LOST, 1, "differences", "fail"),
        (BALANCED.to_owned() + STRANGE, 3, "incomplete", "pass"),
        (BALANCED.to_owned() + STUCK + STRANGE, 3, "differences", "warn"),
        (BALANCED.to_owned() + LOST + STRANGE, 1, "differences", "fail"),
    ];
    for (story, code, outcome, verdict) in cases {
        let shop = Shop::new(&story).await;
        let output = shop.run(&format!("run {DAY} --format json"));
        assert_eq!(child::code(&output), code, "{story}: {}", child::said(&output));
        let report = child::json(&output);
        let run = &report["run"];
        assert_eq!((&run["outcome"], &run["verdict"]), (&outcome.into(), &verdict.into()), "{story}");
        assert_eq!(
            (&run["exit_code"], &run["complete"]),
            (&code.into(), &(!story.contains("whatever")).into())
        );
    }
}

#[tokio::test]
async fn usage_and_configuration_are_2_and_a_missing_source_is_3() {
    let shop = Shop::new(BALANCED).await;
    for arguments in [
        "run --no-record",
        "run --date yesterday",
        "run --flow nowhere --date 2026-03-02",
        "walk",
        "--frobnicate",
        "",
    ] {
        let output = shop.run(arguments);
        assert_eq!(child::code(&output), 2, "{arguments}: {}", child::said(&output));
        assert!(
            output.stdout.is_empty() && !output.stderr.is_empty(),
            "{arguments}: {}",
            child::said(&output)
        );
    }
    let future = shop.run("run --date 2026-03-02 --as-of 2026-03-02T00:00:00Z");
    assert_eq!(child::code(&future), 2, "nothing of that day is over: {}", child::said(&future));
    let gone = Shop { config: shop.config.replace("data.db", "gone.db"), ..shop };
    let output = gone.run(&format!("run {DAY}"));
    assert_eq!(child::code(&output), 3, "{}", child::said(&output));
    assert!(child::out(&output).contains("gone.db"));
}

#[tokio::test]
async fn wrong_usage_is_told_what_would_be_right() {
    let shop = Shop::new(BALANCED).await;
    let cases = [
        ("run --no-record", "--last"),
        ("run --date 02.03.2026", "--date"),
        ("run --from 2026-03-02", "--until"),
        ("run --date 2026-03-02 --last 24h", "cannot be used with"),
        ("run --last 24", "24h"),
        ("run --date 2026-03-02 --format xml", "html"),
        ("run --date 2026-03-02 --as-of noon", "2026-03-03T06:00:00Z"),
        ("run --flow nowhere --date 2026-03-02", "orders"),
        ("runn", "run"),
        ("explain missin", "missing"),
        ("completions cmd", "bash"),
    ];
    for (arguments, help) in cases {
        let output = shop.run(arguments);
        assert_eq!(child::code(&output), 2, "{arguments}: {}", child::said(&output));
        assert!(child::err(&output).contains(help), "{arguments}: {}", child::err(&output));
    }
}

#[tokio::test]
async fn stdout_carries_the_report_and_nothing_else() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    for more in ["", "-v", "-vv", "-q", "-vv --log-format json"] {
        let output = shop.run(&format!("{more} run {DAY} --format json --output reports"));
        assert_eq!(child::json(&output)["total"], 1);
        let file = std::fs::read(shop.folder.path().join("reports/report.json")).unwrap();
        assert_eq!(file, output.stdout, "{more}");
        if more.contains("json") {
            let lines = child::err(&output);
            assert!(
                lines.lines().all(|line| serde_json::from_str::<serde_json::Value>(line).is_ok()),
                "{lines}"
            );
            assert!(!lines.is_empty());
        }
    }
    assert_eq!(child::err(&shop.run(&format!("-q run {DAY}"))), "", "quiet, and nothing is wrong");
}

#[tokio::test]
async fn every_format_is_whole() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    let said = |format: &str| child::out(&shop.run(&format!("run {DAY} --format {format}")));
    let html = said("html");
    assert!(html.to_lowercase().starts_with("<!doctype html>") && html.trim_end().ends_with("</html>"));
    let csv = said("csv");
    assert_eq!(csv.lines().count(), 2, "{csv}");
    assert!(csv.starts_with("flow,consumer,kind,id,") && csv.contains("orders,billing,missing,b,"), "{csv}");
    let json: serde_json::Value = serde_json::from_str(&said("json")).unwrap();
    assert_eq!(json["format_version"], 1);
    let table = said("table");
    assert!(table.contains("missing") && table.contains("billing"), "{table}");
    // The run's id is the only thing that differs, and has a line of its own.
    let rest =
        |table: &str| table.lines().filter(|line| !line.contains(" run ")).collect::<Vec<_>>().join("\n");
    let default = child::out(&shop.run(&format!("run {DAY}")));
    assert_eq!(rest(&default), rest(&table), "the default");
}

#[tokio::test]
async fn no_colour_where_nobody_sees_it() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST + STRANGE)).await;
    for arguments in ["run", "-vv run", "plan", "plan --sql"] {
        let output = shop.run(&format!("{arguments} {DAY}"));
        assert!(!output.stdout.is_empty());
        assert!(!child::said(&output).contains('\u{1b}'), "{arguments}: {}", child::said(&output));
    }
    for arguments in ["--help", "run --help", "run --frobnicate", "explain missing", ""] {
        let output = shop.run(arguments);
        assert!(!child::said(&output).contains('\u{1b}'), "{arguments}: {}", child::said(&output));
    }
}

#[tokio::test]
async fn output_writes_four_whole_files_and_replaces_them() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    let reports = shop.folder.path().join("deep/reports");
    for _ in 0..2 {
        assert_eq!(child::code(&shop.run(&format!("run {DAY} --output deep/reports"))), 1);
        assert_eq!(child::names(&reports), FILES, "no temporary file is left");
    }
    for name in FILES {
        std::fs::write(reports.join(name), "half a rep").unwrap();
    }
    assert_eq!(child::code(&shop.run(&format!("run {DAY} --output deep/reports"))), 1);
    assert!(
        child::files(&reports).values().all(|bytes| bytes.len() > 50 && !child::holds(bytes, "half a rep"))
    );
    assert_eq!(child::files(shop.folder.path()).len(), 2 + FILES.len(), "the configuration, the ledger");
}

#[tokio::test]
async fn a_folder_that_cannot_be_written_is_4_and_found_before_anything_is_read() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    std::fs::write(shop.folder.path().join("taken"), "a file").unwrap();
    let gone = Shop { config: shop.config.replace("data.db", "gone.db"), ..shop };
    let output = gone.run(&format!("run {DAY} --output taken"));
    assert_eq!(child::code(&output), 4, "{}", child::said(&output));
    assert!(output.stdout.is_empty());
    let said = child::err(&output);
    assert!(said.contains("taken") && said.contains("--output") && !said.contains("gone.db"), "{said}");
}

/// `msgrecon run | head -c 10`.
#[tokio::test]
async fn a_reader_that_goes_away_is_no_error() {
    let many = (0..3_000)
        .fold(String::new(), |text, nr| text + &format!("event lost-{nr} acked 10:00:00 10:00:00\n"));
    let shop = Shop::new(&many).await;
    let arguments = format!("run {DAY} --format json");
    let mut command = child::command(shop.folder.path(), &shop.config);
    let command = command.args(arguments.split(' ')).stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let mut first = [0; 10];
    let mut pipe = child.stdout.take().unwrap();
    pipe.read_exact(&mut first).unwrap();
    drop(pipe);
    let output = child.wait_with_output().unwrap();
    assert_eq!(child::err(&output), "", "quiet");
    assert_eq!(child::code(&output), 1, "what was found still counts");
    shop.place.remove().await;
}
