//! What has changed since the last run.

use super::Told;
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
    let change = |(count, english): (u64, &'static str)| {
        let word = told.language.text(english).to_owned();
        let text = told.language.fill("{0} {1}", &[&grouped(count.cast_signed()), &word]);
        let name = match english {
            "still open" => "still_open",
            "given up" => "given_up",
            name => name,
        };
        Change { name, count, text, word }
    };
    let changes = life::changes(life::lives(told.run));
    if life::is_kept(told.run) { changes.into_iter().map(change).collect() } else { Vec::new() }
}

/// What they are compared with.
pub(super) fn compared(told: &Told<'_>) -> Option<String> {
    life::is_kept(told.run).then(|| life::compared(told.run, told.language))
}
