//! What has changed since the last run.

use super::{Told, span};
use crate::report::facts::life;
use crate::report::text::grouped;

/// A count of differences and what they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// `new`, `still_open`, `acknowledged`, `resolved` or `given_up`, in every language.
    pub name: &'static str,
    /// How many.
    pub count: u64,
    /// The count with its word: `13 new`.
    pub text: String,
    /// The word alone.
    pub word: String,
}

/// New, still open, acknowledged, resolved and, where there are any, given up; nothing where no ledger is kept.
pub(super) fn changes(told: &Told<'_>) -> Vec<Change> {
    let change = |(count, english): (u64, &str)| {
        let (name, text) = match english {
            "new" => ("new", "{0} new"),
            "still open" => ("still_open", "{0} still open"),
            "acknowledged" => ("acknowledged", "{0} acknowledged"),
            "resolved" => ("resolved", "{0} resolved"),
            _ => ("given_up", "{0} given up"),
        };
        let word = told.language.fill(text, &[""]).trim().to_owned();
        let text = told.language.fill(text, &[&grouped(count.cast_signed())]);
        Change { name, count, text, word }
    };
    if life::is_kept(told.run) {
        life::changes(life::lives(told.run)).into_iter().map(change).collect()
    } else {
        Vec::new()
    }
}

/// What they are compared with.
pub(super) fn compared(told: &Told<'_>) -> Option<String> {
    life::is_kept(told.run).then(|| match &told.run.last_run {
        Some(last) => told.language.fill("since the run of {0}", &[&span::at(last.as_of, told)]),
        None => told.language.text("this is the first run of its ledger").to_owned(),
    })
}
