//! The first sentence of every report.

use super::super::text::{grouped, several};
use super::judged::{Nothing, nothing};
use super::{counted, kind_name, life};
use crate::language::Language;
use crate::model::{Kind, Run};

/// One sentence on the whole run.
#[must_use]
pub fn sentence(run: &Run) -> String {
    sentence_in(run, Language::En)
}

/// [`sentence`] in a language.
#[must_use]
pub fn sentence_in(run: &Run, language: Language) -> String {
    let first = match run.differences_total {
        0 if !run.complete => language.text("No difference in what could be judged.").to_owned(),
        0 => nothing_sentence(run, language).unwrap_or_else(|| balanced_sentence(run, language)),
        _ => attention(run, language),
    };
    let partly = || language.text("Not everything could be judged: see the problems.").to_owned();
    let second = match run.differences_total {
        _ if !run.complete => Some(partly()),
        0 => waiting(run, language),
        _ => None,
    };
    [first]
        .into_iter()
        .chain(second)
        .chain(stuck_ahead(run, language))
        .collect::<Vec<_>>()
        .join(language.gap())
}

/// Where no flow shows a message.
fn nothing_sentence(run: &Run, language: Language) -> Option<String> {
    let why: Option<Vec<_>> = run.flows.iter().map(|flow| nothing(flow, run)).collect();
    let text = match why?.into_iter().max().unwrap_or(Nothing::Held) {
        Nothing::Due => "Nothing was due.",
        Nothing::Held => "Nothing to compare: both sides are empty.",
        Nothing::Judged => "Nothing was compared.",
    };
    Some(language.text(text).to_owned())
}

/// Windows that the run should have judged and did not come to: what balances is not all there is.
fn waiting(run: &Run, language: Language) -> Option<String> {
    let due = life::due_in(life::lives(run).map(|life| life.due).sum(), language);
    due.map(|due| language.sentence(&due))
}

/// Events that are stuck where no window counts them yet.
fn ahead(run: &Run) -> u64 {
    let backlogs = run.flows.iter().filter_map(|flow| flow.backlog);
    backlogs.filter_map(|backlog| backlog.stuck_ahead).sum()
}

/// What no window counts yet is said all the same: a relay that has stopped is no agreement.
fn stuck_ahead(run: &Run, language: Language) -> Option<String> {
    let words = [
        "{0} pending event is stuck in a window that is not due yet",
        "{0} pending events are stuck in windows that are not due yet",
    ];
    (ahead(run) > 0).then(|| language.sentence(&several(ahead(run), words, language)))
}

/// What somebody has acknowledged needs nobody's attention for now.
fn attention(run: &Run, language: Language) -> String {
    let acknowledged = run.flows.iter().flat_map(|flow| &flow.acknowledged).map(|one| one.count).sum();
    let (total, need) = (run.differences_total, run.differences_total.saturating_sub(acknowledged));
    let needs = ["{0} difference needs attention", "{0} differences need attention"];
    let more = ["{0} more is acknowledged", "{0} more are acknowledged"];
    let acknowledged = ["{0} difference acknowledged", "{0} differences acknowledged"];
    let words = match (need, total - need) {
        (_, 0) => several(need, needs, language),
        (0, all) => several(all, acknowledged, language),
        (_, rest) => {
            language.fill("{0}; {1}", &[&several(need, needs, language), &several(rest, more, language)])
        }
    };
    language.sentence(&words)
}

/// What is waited for or can no longer be proved is no difference, and is said.
fn balanced_sentence(run: &Run, language: Language) -> String {
    let hidden = hidden_kinds(run);
    if !hidden.is_empty() {
        // A key that makes duplicates impossible hides nothing; rows that vanish hide losses.
        let hidden: Vec<_> = hidden.into_iter().map(|kind| kind_name(kind, language)).collect();
        let text = "Nothing differs in what these tables can show; not decidable: {0}.";
        return language.fill(text, &[&hidden.join(language.text(", "))]);
    }
    let waiting = counted(run, Kind::Pending) + counted(run, Kind::InFlight);
    let unverifiable = counted(run, Kind::Unverifiable);
    let rest = [(waiting, "{0} may still be on the way"), (unverifiable, "{0} can no longer be verified")];
    let rest = rest.into_iter().filter(|(count, _)| *count > 0);
    let rest: Vec<_> =
        rest.map(|(count, text)| language.fill(text, &[&grouped(count.cast_signed())])).collect();
    if rest.is_empty() && ahead(run) > 0 {
        language.text("No message differs in the windows that were judged.").to_owned()
    } else if rest.is_empty() {
        language.text("Every message is accounted for.").to_owned()
    } else {
        language.fill("No message differs; {0}.", &[&rest.join(language.text(", "))])
    }
}

/// Losses and strangers that some consumer's layout cannot show.
fn hidden_kinds(run: &Run) -> Vec<Kind> {
    let consumers = || run.flows.iter().flat_map(|flow| &flow.consumers);
    let hidden = |kind: &Kind| consumers().any(|consumer| consumer.not_decidable.contains(kind));
    [Kind::Missing, Kind::Orphan].into_iter().filter(hidden).collect()
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;

    #[test]
    fn what_is_stuck_ahead_of_its_window_is_no_agreement() {
        let mut run = fixture::balanced();
        let mut stuck = |count| {
            for backlog in run.flows.iter_mut().filter_map(|flow| flow.backlog.as_mut()).take(1) {
                backlog.stuck_ahead = Some(count);
            }
            sentence(&run)
        };
        let before = stuck(0);
        assert_eq!(stuck(1), format!("{before} 1 pending event is stuck in a window that is not due yet."));
        assert!(stuck(3).ends_with(" 3 pending events are stuck in windows that are not due yet."));
    }

    #[test]
    fn two_empty_sides_are_said_to_be_empty() {
        assert_eq!(sentence(&fixture::empty()), "Nothing to compare: both sides are empty.");
        assert_eq!(sentence(&fixture::balanced()), "No message differs; 2 may still be on the way.");
        assert!(sentence(&fixture::rich()).contains("Not everything could be judged"));
        assert_eq!(
            sentence(&fixture::scheduled()),
            "No message differs; 1 may still be on the way. 1 window is due and waits for the next run."
        );
        let mut vanishing = fixture::balanced();
        vanishing.flows[0].consumers[0].not_decidable = vec![Kind::Missing, Kind::Orphan];
        assert_eq!(
            sentence(&vanishing),
            "Nothing differs in what these tables can show; not decidable: missing, orphan."
        );
    }

    #[test]
    fn a_run_without_windows_claims_nothing() {
        let mut run = fixture::nothing_due();
        assert_eq!(sentence(&run), "Nothing was due.");
        run.flows[0].life.as_mut().unwrap().due = 12;
        assert_eq!(sentence(&run), "Nothing was compared. 12 windows are due and wait for the next run.");
        run.scheduled = false;
        run.flows[0].life = None;
        assert_eq!(sentence(&run), "Nothing to compare: both sides are empty.");
    }

    #[test]
    fn what_is_acknowledged_needs_no_attention() {
        let mut run = fixture::rich();
        run.complete = true;
        assert_eq!(sentence(&run), "17 differences need attention; 3 more are acknowledged.");
        run.differences_total = 4;
        assert_eq!(sentence(&run), "1 difference needs attention; 3 more are acknowledged.");
        run.differences_total = 2;
        assert_eq!(sentence(&run), "2 differences acknowledged.");
    }
}
