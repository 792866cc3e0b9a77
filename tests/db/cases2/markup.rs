//! Line breaks, markup and control characters in names and ids.

use super::{AS_OF, DAY, changed, config, everywhere, usual};
use crate::child;
use std::collections::BTreeSet;
use std::path::Path;

const FLOW: &str = "orders\r\nBcc: x@example.test";
const CONSUMER: &str = "\"><script>alert(1)</script>";
const IDS: [&str; 3] = ["<img src=x onerror=alert(1)>", "../../tmp/x", "\u{1b}[31m"];

fn story(ids: &[&str]) -> String {
    let line = |id: &&str| format!("event {} acked 10:00:00 10:00:00\n", serde_json::to_string(id).unwrap());
    ids.iter().map(line).collect()
}

/// The usual flow under hostile names; JSON strings are TOML strings.
fn hostile() -> String {
    let name = |name: &str| format!("name = {}", serde_json::to_string(name).unwrap());
    changed("name = \"orders\"", &name(FLOW)).replace("name = \"billing\"", &name(CONSUMER))
}

fn run(folder: &Path, config: &str, format: &str) -> std::process::Output {
    let arguments = format!("run --date {DAY} --as-of {AS_OF} --output out/reports --format {format}");
    child::run(folder, config, &arguments)
}

/// Every tag of a page as it stands, without the values of its attributes.
fn tags(page: &str) -> BTreeSet<String> {
    let tag = |rest: &str| {
        let opens = rest.starts_with(|first: char| first.is_ascii_alphabetic() || "/!?".contains(first));
        let tag = rest.split('>').next().unwrap_or_default();
        let words = tag.split('"').step_by(2).flat_map(str::split_whitespace);
        opens.then(|| words.collect::<Vec<_>>().join(" "))
    };
    page.split('<').skip(1).filter_map(tag).collect()
}

#[tokio::test]
async fn d47_the_page_holds_no_element_from_data() {
    everywhere(&story(&IDS), async |place| {
        let folder = tempfile::tempdir().unwrap();
        let output = run(folder.path(), &config(place, &hostile()), "html");
        assert_eq!(child::code(&output), 1, "{}", child::said(&output));
        let page = child::out(&output);
        // A harmless page with as many ids, for comparison.
        let harmless = run(folder.path(), &config(place, &usual()), "html");
        let (found, known) = (tags(&page), tags(&child::out(&harmless)));
        assert!(known.contains("html") || known.iter().any(|tag| tag.starts_with("html ")), "{known:?}");
        let names = |tags: &BTreeSet<String>| -> BTreeSet<String> {
            tags.iter().filter_map(|tag| tag.split(' ').next()).map(str::to_lowercase).collect()
        };
        assert_eq!(names(&found), names(&known));
        assert!(!names(&found).contains("script") && !names(&found).contains("img"));
        assert!(found.iter().all(|tag| !tag.contains(" on")), "an attribute from data: {found:?}");
        assert!(page.contains("&lt;img src") && page.contains("&lt;script&gt;"), "shown as text");
    })
    .await;
}

#[tokio::test]
async fn d47_a_terminal_gets_no_escape_code_and_no_line_of_its_own() {
    everywhere(&story(&IDS), async |place| {
        let folder = tempfile::tempdir().unwrap();
        let output = run(folder.path(), &config(place, &hostile()), "table");
        for text in [child::out(&output), child::err(&output)] {
            let control = text.chars().find(|letter| letter.is_control() && *letter != '\n');
            assert_eq!(control, None, "{text:?}");
            assert!(text.lines().all(|line| !line.trim_start().starts_with("Bcc:")), "{text}");
        }
        assert!(child::out(&output).contains("[31m"), "the id is there, with its first byte made visible");
    })
    .await;
}

#[tokio::test]
async fn d47_no_id_becomes_a_path_and_every_value_comes_back() {
    everywhere(&story(&IDS), async |place| {
        let folder = tempfile::tempdir().unwrap();
        let output = run(folder.path(), &config(place, &hostile()), "json");
        let report = child::json(&output);
        assert_eq!(
            (&report["flows"][0]["name"], &report["flows"][0]["consumers"][0]["name"]),
            (&FLOW.into(), &CONSUMER.into())
        );
        let mut ids: Vec<_> =
            report["differences"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
        ids.sort_unstable();
        let mut right = IDS;
        right.sort_unstable();
        assert_eq!(ids, right);
        let reports = ["differences.csv", "report.html", "report.json", "windows.csv"];
        assert_eq!(child::names(&folder.path().join("out/reports")), reports);
        assert_eq!(child::files(folder.path()).len(), reports.len() + 2, "the configuration, the ledger");

        let csv = std::fs::read(folder.path().join("out/reports/differences.csv")).unwrap();
        let mut reader = csv::Reader::from_reader(&csv[..]);
        let lines: Vec<_> = reader.records().map(Result::unwrap).collect();
        assert_eq!(lines.len(), IDS.len());
        assert!(lines.iter().all(|line| &line[0] == FLOW && line[1].trim_start_matches('\'') == CONSUMER));
    })
    .await;
}
