//! What a kind means, for `msgrecon explain KIND`.

use super::facts::kind_name;
use super::{text, wide};
use crate::language::Language;
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

/// Name, meaning, cause, remedy and default threshold, in lines of at most `width` columns.
#[must_use]
pub fn explain(kind: Kind, width: usize, language: Language) -> String {
    let info = kind.info();
    let threshold = threshold(kind, language);
    let sections = [
        ("Meaning", language.text(info.meaning)),
        ("Cause", language.text(info.cause)),
        ("What to do", language.text(info.remedy)),
        ("Listed", language.text(listed(kind))),
        ("Threshold", threshold.as_str()),
    ];
    let sections = sections.map(|(label, text)| section(language.text(label), text, width, language));
    format!("{}\n\n{}\n", kind_name(kind, language), sections.join("\n"))
}

fn listed(kind: Kind) -> &'static str {
    match (kind.is_difference(), kind.is_of_producer()) {
        (true, true) => "As a difference of the producer alone, with its id.",
        (true, false) => "As a difference, once for each consumer, with its id.",
        (false, _) => "No: it is counted, and is no difference.",
    }
}

fn threshold(kind: Kind, language: Language) -> String {
    let text = match default_level(kind) {
        Some(Verdict::Fail) => "Unless set, 1 message is enough to fail. Set `{0}` in [flows.thresholds].",
        Some(_) => "Unless set, 1 message is enough to warn. Set `{0}` in [flows.thresholds].",
        None => "None unless set: `{0}` in [flows.thresholds].",
    };
    language.fill(text, &[kind.name()])
}

fn section(label: &str, text: &str, width: usize, language: Language) -> String {
    let filled = match language {
        Language::En => text::fill(text, INDENT, width),
        Language::ZhCn => wide::fill(text, INDENT, width),
    };
    let rest = filled.get(INDENT..).unwrap_or_default();
    let blanks = " ".repeat(INDENT.saturating_sub(wide::columns(label)));
    format!("{label}{blanks}{rest}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_explained_within_the_width() {
        for kind in Kind::ALL {
            let text = explain(kind, 72, Language::En);
            assert!(text.starts_with(&format!("{kind}\n")), "{text}");
            assert!(text.lines().all(|line| line.chars().count() <= 72), "{text}");
            assert_eq!(text.matches("\nWhat to do ").count(), 1);
            assert!(default_level(kind).is_none() || kind.is_difference());
        }
    }

    #[test]
    fn missing_reads_like_this() {
        insta::assert_snapshot!(explain(Kind::Missing, 80, Language::En));
    }

    #[test]
    fn missing_reads_like_this_in_chinese() {
        insta::assert_snapshot!(explain(Kind::Missing, 80, Language::ZhCn));
    }

    #[test]
    fn every_kind_is_explained_in_chinese_within_the_width() {
        for kind in Kind::ALL {
            let text = explain(kind, 72, Language::ZhCn);
            assert!(text.starts_with(&format!("{kind} {}\n", Language::ZhCn.text(kind.name()))), "{text}");
            assert!(text.lines().all(|line| wide::columns(line) <= 72), "{text}");
            assert_eq!(text.matches("\n处理办法 ").count(), 1, "{text}");
        }
    }
}
