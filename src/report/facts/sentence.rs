//! The first sentence of every report.

use super::super::text::{grouped, plural};
use super::judged::{Nothing, nothing};
use super::{counted, life};
use crate::model::{Kind, Run};

/// One sentence on the whole run.
#[must_use]
pub fn sentence(run: &Run) -> String {
    let partly = if run.complete { "" } else { " Not everything could be judged: see the problems." };
    match run.differences_total {
        0 if !run.complete => format!("No difference in what could be judged.{partly}"),
        0 => format!("{}{}", nothing_sentence(run).unwrap_or_else(|| balanced_sentence(run)), waiting(run)),
        _ => format!("{}{partly}", attention(run)),
    }
}

/// Where no flow shows a message.
fn nothing_sentence(run: &Run) -> Option<String> {
    let why: Option<Vec<_>> = run.flows.iter().map(|flow| nothing(flow, run)).collect();
    Some(match why?.into_iter().max().unwrap_or(Nothing::Held) {
        Nothing::Due => "Nothing was due.".to_owned(),
        Nothing::Held => "Nothing to compare: both sides are empty.".to_owned(),
        Nothing::Judged => "Nothing was compared.".to_owned(),
    })
}

/// Windows that the run should have judged and did not come to: what balances is not all there is.
fn waiting(run: &Run) -> String {
    let due = life::due(life::lives(run).map(|life| life.due).sum());
    due.map(|due| format!(" {due}.")).unwrap_or_default()
}

/// What somebody has acknowledged needs nobody's attention for now.
fn attention(run: &Run) -> String {
    let acknowledged = run.flows.iter().flat_map(|flow| &flow.acknowledged).map(|one| one.count).sum();
    let (total, need) = (run.differences_total, run.differences_total.saturating_sub(acknowledged));
    let needs = format!("{} need{} attention", plural(need, "difference"), if need == 1 { "s" } else { "" });
    match (need, total - need) {
        (_, 0) => format!("{needs}."),
        (0, all) => format!("{} acknowledged.", plural(all, "difference")),
        (_, rest) => format!(
            "{needs}; {} more {} acknowledged.",
            grouped(rest.cast_signed()),
            if rest == 1 { "is" } else { "are" }
        ),
    }
}

/// What is waited for or can no longer be proved is no difference, and is said.
fn balanced_sentence(run: &Run) -> String {
    let waiting = counted(run, Kind::Pending) + counted(run, Kind::InFlight);
    let unverifiable = counted(run, Kind::Unverifiable);
    let waiting =
        (waiting > 0).then(|| format!("{} may still be on the way", grouped(waiting.cast_signed())));
    let unverifiable = (unverifiable > 0)
        .then(|| format!("{} can no longer be verified", grouped(unverifiable.cast_signed())));
    let rest: Vec<_> = waiting.into_iter().chain(unverifiable).collect();
    let hidden = hidden_kinds(run);
    if !hidden.is_empty() {
        // A key that makes duplicates impossible hides nothing; rows that vanish hide losses.
        let hidden: Vec<_> = hidden.iter().map(|kind| kind.name()).collect();
        return format!(
            "Nothing differs in what these tables can show; not decidable: {}.",
            hidden.join(", ")
        );
    }
    if rest.is_empty() {
        "Every message is accounted for.".to_owned()
    } else {
        format!("No message differs; {}.", rest.join(", "))
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
