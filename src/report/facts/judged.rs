//! Which windows a run judged. Those that a ledger chose need not follow each other, and there may be none.

use super::super::text::{WINDOWS, local, several};
use super::is_empty;
use crate::language::Language;
use crate::model::tally::EventTotals;
use crate::model::{ConsumerReport, FlowReport, Run, Window};
use std::collections::BTreeSet;

/// Why a flow shows no message.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Nothing {
    /// The ledger had no window for the run.
    Due,
    /// Both sides of its windows were read and hold nothing.
    Held,
    /// Windows were due, and the run came to none of them.
    Judged,
}

impl Nothing {
    /// In words.
    #[must_use]
    pub fn words(self) -> &'static str {
        match self {
            Self::Due => "nothing was due",
            Self::Held => "nothing to compare: both sides are empty",
            Self::Judged => "nothing was compared: the run came to no window",
        }
    }
}

/// Whether a flow shows no message, and why. What could not be read is not nothing.
#[must_use]
pub fn nothing(flow: &FlowReport, run: &Run) -> Option<Nothing> {
    if !run.scheduled || !windows(flow).is_empty() {
        return is_empty(flow).then_some(Nothing::Held);
    }
    let unread = flow.events.is_none() || flow.consumers.iter().any(|consumer| consumer.counts.is_none());
    let waits = flow.life.as_ref().is_some_and(|life| life.due > 0);
    let why = if flow.complete && !waits { Nothing::Due } else { Nothing::Judged };
    (counts_nothing(flow) && (flow.complete || !unread)).then_some(why)
}

fn counts_nothing(flow: &FlowReport) -> bool {
    let nothing = |consumer: &ConsumerReport| {
        consumer
            .counts
            .as_ref()
            .is_none_or(|counts| counts.totals.is_empty() && counts.receipts.without_id == 0)
    };
    flow.events.is_none_or(|events| events == EventTotals::default()) && flow.consumers.iter().all(nothing)
}

/// The windows of a flow that the run holds, in time order.
#[must_use]
pub fn windows(flow: &FlowReport) -> Vec<Window> {
    let counts = flow.consumers.iter().filter_map(|consumer| consumer.counts.as_ref());
    let consumed = counts.flat_map(|counts| &counts.windows).map(|(window, _)| *window);
    let produced = flow.windows.iter().map(|(window, _)| *window);
    produced.chain(consumed).collect::<BTreeSet<_>>().into_iter().collect()
}

/// How many pieces these windows make, where those that follow each other are one; they are in time order.
pub fn stretches<'a>(windows: impl IntoIterator<Item = &'a Window>) -> usize {
    let mut until = None;
    windows.into_iter().filter(|window| until.replace(window.0.until) != Some(window.0.from)).count()
}

/// The windows of a run that a ledger chose, over all flows; `None` for a range that somebody asked for.
#[must_use]
pub fn chosen(run: &Run) -> Option<usize> {
    run.scheduled.then(|| run.flows.iter().map(|flow| windows(flow).len()).sum())
}

/// The windows that a ledger chose of a flow, in words: a span with gaps was not judged as a whole.
#[must_use]
pub fn chosen_of(flow: &FlowReport, run: &Run) -> Option<String> {
    chosen_of_in(flow, run, Language::En)
}

/// [`chosen_of`] in a language.
#[must_use]
pub fn chosen_of_in(flow: &FlowReport, run: &Run, language: Language) -> Option<String> {
    let windows = if run.scheduled { windows(flow) } else { Vec::new() };
    let ends = [windows.first()?.0.from, windows.last()?.0.until];
    let [from, until] = ends.map(|at| local(at, run.time_zone));
    let count = several(windows.len() as u64, WINDOWS, language);
    let stretches = stretches(&windows);
    let line = match stretches {
        1 => "this run holds {0}, {1} until {2}",
        _ => "this run holds {0} between {1} and {2}, in {3} stretches with gaps between",
    };
    Some(language.fill(line, &[&count, &from, &until, &stretches.to_string()]))
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;
    use crate::model::Micros;
    use crate::model::run::Counts;
    use crate::model::time::Span;

    #[test]
    fn windows_that_follow_each_other_are_one_stretch() {
        let window = |from, until| Window(Span::new(Micros(from), Micros(until)));
        let windows = [window(0, 2), window(2, 5), window(6, 7), window(7, 8), window(20, 21)];
        assert_eq!((stretches(&windows), stretches(&windows[..2]), stretches(&[])), (3, 1, 0));
    }

    #[test]
    fn a_run_with_gaps_claims_no_span() {
        let run = fixture::scheduled();
        assert_eq!(chosen(&run), Some(4));
        assert_eq!(
            chosen_of(&run.flows[0], &run).unwrap(),
            "this run holds 4 windows between 2026-11-01 00:00 -04:00 and 2026-11-01 21:00 -05:00, in 2 stretches \
             with gaps between"
        );
        let asked = fixture::balanced();
        assert_eq!((chosen(&asked), chosen_of(&asked.flows[0], &asked)), (None, None));
    }

    #[test]
    fn nothing_due_is_neither_empty_nor_unread() {
        let mut run = fixture::nothing_due();
        assert_eq!(nothing(&run.flows[0], &run), Some(Nothing::Due));
        run.flows[0].consumers[0].counts = None;
        assert_eq!(nothing(&run.flows[0], &run), Some(Nothing::Due), "whatever the flow was not asked");
        run.flows[0].complete = false;
        assert_eq!(nothing(&run.flows[0], &run), None, "what could not be read is said to be so");
        run.flows[0].consumers[0].counts = Some(Counts::default());
        assert_eq!(nothing(&run.flows[0], &run), Some(Nothing::Judged));
        let empty = fixture::empty();
        assert_eq!(nothing(&empty.flows[0], &empty), Some(Nothing::Held));
        let balanced = fixture::scheduled();
        assert_eq!(nothing(&balanced.flows[0], &balanced), None);
    }
}
