//! The catalogs of the other language: every text of theirs is one that the program says.

use super::{files, root};
use std::collections::HashMap;
use std::fmt::Write as _;

/// Everything below these places of `src`, as the compiler reads its texts: without escapes and continued lines.
fn sources(places: &[&str]) -> String {
    let mut all = String::new();
    for path in ["rs", "j2"].iter().flat_map(|ending| files(&root().join("src"), ending)) {
        let name = path.strip_prefix(root().join("src")).unwrap().display().to_string();
        if places.iter().any(|place| name.starts_with(place)) && !name.starts_with("language") {
            writeln!(all, "{}", unescaped(&std::fs::read_to_string(path).unwrap())).unwrap();
        }
    }
    all
}

fn unescaped(source: &str) -> String {
    let mut parts = source.split("\\\n");
    let mut text = parts.next().unwrap_or_default().to_owned();
    parts.for_each(|part| text += part.trim_start());
    text.replace("\\\"", "\"").replace("\\\\", "\\")
}

fn catalog(name: &str) -> HashMap<String, String> {
    let text = std::fs::read_to_string(root().join("src/language/zh-CN").join(name)).unwrap();
    toml::from_str(&text).unwrap()
}

#[test]
fn every_text_of_the_report_is_said() {
    let sources = sources(&["report", "model"]);
    let durations = std::fs::read_to_string(root().join("src/language/again.rs")).unwrap();
    let unsaid: Vec<_> = catalog("report.toml")
        .into_keys()
        .filter(|text| ![&sources, &durations].iter().any(|source| source.contains(&format!("\"{text}\""))))
        .collect();
    assert!(unsaid.is_empty(), "in the catalog, and nowhere in src/report: {unsaid:#?}");
}

/// The template writes these texts between its tags and into attributes as they are.
#[test]
fn no_text_of_the_report_is_markup() {
    for (english, chinese) in catalog("report.toml") {
        assert!(!(english + &chinese).contains(['<', '>', '&', '"']), "{chinese}");
    }
}

/// Pieces between places, since the places are of another kind there; ` at` and `:` are put behind several words.
#[test]
fn every_pattern_is_of_something_that_a_run_keeps() {
    let sources = sources(&["book", "plan", "source", "reconcile", "judge", "ledger"]);
    for text in catalog("said.toml").into_keys() {
        let pieces = text.split('{').map(|piece| piece.split_once('}').map_or(piece, |(_, piece)| piece));
        let pieces = pieces.map(|piece| piece.trim().trim_end_matches(" at").trim_end_matches(':'));
        let unsaid: Vec<_> = pieces.filter(|piece| !sources.contains(piece)).collect();
        assert!(unsaid.is_empty(), "{text}: {unsaid:?}");
    }
}
