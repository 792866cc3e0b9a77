//! What a kind means, for `msgrecon explain KIND`.

use super::text::fill;
use crate::model::{Kind, Verdict};

/// The indent of the texts, behind their labels.
const INDENT: usize = 13;

/// The level that any message of `kind` reaches where the configuration sets no threshold.
#[must_use]
pub fn default_level(kind: Kind) -> Option<Verdict> {
    match kind {
        Kind::Missing => Some(Verdict::Fail),
        Kind::Duplicate
        | Kind::Orphan
        | Kind::Stuck
        | Kind::AckLost
        | Kind::PublishFailed
        | Kind::DeadLettered
        | Kind::Unattributable => Some(Verdict::Warn),
        _ => None,
    }
}

/// Name, meaning, cause, remedy and default threshold, in lines of at most `width` characters.
#[must_use]
pub fn explain(kind: Kind, width: usize) -> String {
    let info = kind.info();
    let threshold = threshold(kind);
    let sections = [
        ("Meaning", info.meaning),
        ("Cause", info.cause),
        ("What to do", info.remedy),
        ("Listed", listed(kind)),
        ("Threshold", threshold.as_str()),
    ];
    let sections = sections.map(|(label, text)| section(label, text, width));
    format!("{}\n\n{}\n", info.name, sections.join("\n"))
}

fn listed(kind: Kind) -> &'static str {
    match (kind.is_difference(), kind.is_of_producer()) {
        (true, true) => "As a difference of the producer alone, with its id.",
        (true, false) => "As a difference, once for each consumer, with its id.",
        (false, _) => "No: it is counted, and is no difference.",
    }
}

fn threshold(kind: Kind) -> String {
    let name = kind.name();
    match default_level(kind) {
        Some(level) => {
            format!(
                "Unless set, 1 message is enough to {}. Set `{name}` in [flows.thresholds].",
                level.name()
            )
        }
        None => format!("None unless set: `{name}` in [flows.thresholds]."),
    }
}

fn section(label: &str, text: &str, width: usize) -> String {
    let filled = fill(text, INDENT, width);
    let rest = filled.get(INDENT..).unwrap_or_default();
    format!("{label:<INDENT$}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_explained_within_the_width() {
        for kind in Kind::ALL {
            let text = explain(kind, 72);
            assert!(text.starts_with(&format!("{kind}\n")), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 72), "{text}");
            assert_eq!(text.matches("\nWhat to do ").count(), 1);
            assert!(default_level(kind).is_none() || kind.is_difference());
        }
    }

    #[test]
    fn missing_reads_like_this() {
        insta::assert_snapshot!(explain(Kind::Missing, 80));
    }
}
