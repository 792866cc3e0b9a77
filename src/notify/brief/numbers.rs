//! The counts that come first.

use super::Told;
use crate::language::Language;
use crate::model::{Kind, Run};
use crate::report::facts::{URGENCY, counted, kind_word};
use crate::report::text::grouped;

/// How many differences of a kind there are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number {
    /// The kind.
    pub kind: Kind,
    /// Without those that are acknowledged.
    pub count: u64,
    /// The count with the kind in a word of the language: `12 missing`.
    pub text: String,
    /// The kind in a word of the language.
    pub word: String,
}

/// The kinds that the run found, most urgent first.
pub(super) fn numbers(told: &Told<'_>) -> Vec<Number> {
    let number = |kind: Kind| {
        let count = counted(told.run, kind).saturating_sub(acknowledged_of(told.run, kind));
        let text = counted_text(kind, count, told.language);
        Number { kind, count, text, word: word(kind, told.language).to_owned() }
    };
    URGENCY.into_iter().map(number).filter(|number| number.count > 0).collect()
}

/// `12 missing`, in the words of the language.
#[must_use]
pub fn counted_text(kind: Kind, count: u64, language: Language) -> String {
    language.fill("{0} {1}", &[&grouped(count.cast_signed()), word(kind, language)])
}

/// A kind as the language calls it. In English it is its name, so that it can be looked up.
pub(super) fn word(kind: Kind, language: Language) -> &'static str {
    kind_word(kind, language).unwrap_or(kind.name())
}

fn acknowledged_of(run: &Run, kind: Kind) -> u64 {
    let all = run.flows.iter().flat_map(|flow| &flow.acknowledged);
    all.filter(|one| one.kind == kind).map(|one| one.count).sum()
}

/// Differences that somebody has acknowledged.
pub(super) fn acknowledged(run: &Run) -> u64 {
    run.flows.iter().flat_map(|flow| &flow.acknowledged).map(|one| one.count).sum()
}

/// Messages acked, as far as event tables could be read.
pub(super) fn acked(run: &Run) -> Option<u64> {
    let read = run.flows.iter().filter_map(|flow| flow.events).map(|events| events.acked);
    read.fold(None, |sum, acked| Some(sum.unwrap_or(0) + acked))
}

/// The status in a word of the language.
pub(super) fn status_word(status: &str, language: Language) -> String {
    let english = match status {
        "FAIL" => "Failed",
        "WARN" => "Warning",
        "INCOMPLETE" => "Not everything could be judged",
        "RESOLVED" => "All well again",
        _ => "All well",
    };
    language.text(english).to_owned()
}
