//! What the ledger remembers, in the words that the page and the terminal share.

use super::super::text::{exact, grouped, local, several};
use super::kind_name;
use crate::language::Language;
use crate::model::life::Acknowledged;
use crate::model::{FlowLife, FlowReport, Run, Status};
use chrono_tz::Tz;

/// Said of a difference whose window had been judged without it.
pub const FOUND_LATER: &str = "found after the window was first judged";

/// What the ledger knows of each flow that it keeps.
pub fn lives(run: &Run) -> impl Iterator<Item = &FlowLife> {
    run.flows.iter().filter_map(|flow| flow.life.as_ref())
}

/// Whether there is a ledger; without one nothing is said of new and old.
#[must_use]
pub fn is_kept(run: &Run) -> bool {
    lives(run).next().is_some()
}

/// How a list marks a difference.
#[must_use]
pub fn mark(status: Status) -> &'static str {
    match status {
        Status::New => "new",
        Status::Open => "open",
        Status::Acknowledged => "acknowledged",
        Status::Resolved => "settled",
    }
}

/// What the run compares itself with.
#[must_use]
pub fn compared(run: &Run, language: Language) -> String {
    run.last_run.as_ref().map_or_else(
        || language.text("First run of the ledger").to_owned(),
        |last| language.fill("Since the run as of {0}", &[&local(last.as_of, run.time_zone)]),
    )
}

/// How many differences are new, open, acknowledged, healed and, where there are any, given up, over these flows.
pub fn changes<'a>(lives: impl Iterator<Item = &'a FlowLife>) -> Vec<(u64, &'static str)> {
    let sums = lives.fold([0; 5], |sums, life| {
        let more = [life.new, life.still_open, life.acknowledged, life.resolved, life.expired];
        std::array::from_fn(|place| sums[place] + more[place])
    });
    let words = ["new", "still open", "acknowledged", "resolved", "given up"];
    let told = sums.into_iter().zip(words).enumerate();
    told.filter(|(place, (count, _))| *place < 4 || *count > 0).map(|(_, change)| change).collect()
}

/// The same of one flow, as a line.
#[must_use]
pub fn changes_line(life: &FlowLife, run: &Run) -> String {
    changes_line_in(life, run, Language::En)
}

/// [`changes_line`] in a language.
#[must_use]
pub fn changes_line_in(life: &FlowLife, run: &Run, language: Language) -> String {
    let line =
        if run.last_run.is_some() { "since the last run: {0}" } else { "first run of the ledger: {0}" };
    let change = |(count, word): (u64, &'static str)| {
        language.fill("{0} {1}", &[&grouped(count.cast_signed()), language.text(word)])
    };
    let changes: Vec<_> = changes(std::iter::once(life)).into_iter().map(change).collect();
    language.fill(line, &[&changes.join(language.text(", "))])
}

/// How far a flow was judged without a gap.
#[must_use]
pub fn watermark(life: &FlowLife, zone: Tz) -> String {
    watermark_in(life, zone, Language::En)
}

/// [`watermark`] in a language.
#[must_use]
pub fn watermark_in(life: &FlowLife, zone: Tz, language: Language) -> String {
    life.watermark.map_or_else(
        || language.text("nothing is judged without a gap yet").to_owned(),
        |until| language.fill("judged without a gap until {0}", &[&local(until, zone)]),
    )
}

/// What the next run must make up for.
#[must_use]
pub fn due(windows: u64) -> Option<String> {
    due_in(windows, Language::En)
}

/// [`due`] in a language.
#[must_use]
pub fn due_in(windows: u64, language: Language) -> Option<String> {
    let forms =
        ["{0} window is due and waits for the next run", "{0} windows are due and wait for the next run"];
    (windows > 0).then(|| several(windows, forms, language))
}

/// What the verdict leaves out.
#[must_use]
pub fn acknowledged(flow: &FlowReport) -> Option<String> {
    acknowledged_in(flow, Language::En)
}

/// [`acknowledged`] in a language.
#[must_use]
pub fn acknowledged_in(flow: &FlowReport, language: Language) -> Option<String> {
    let named = |one: &Acknowledged| {
        let producer = || language.text("the producer").to_owned();
        let whose = one.consumer.as_deref().map_or_else(producer, |name| exact(name, 60));
        let count = grouped(one.count.cast_signed());
        language.fill("{0} {1} at {2}", &[&count, &kind_name(one.kind, language), &whose])
    };
    let named: Vec<_> = flow.acknowledged.iter().map(named).collect();
    let line = "acknowledged, so the thresholds leave out: {0}";
    (!named.is_empty()).then(|| language.fill(line, &[&named.join(language.text(", "))]))
}

#[cfg(test)]
mod tests {
    use super::super::super::fixture;
    use super::*;
    use crate::model::Micros;

    #[test]
    fn changes_are_summed_over_the_flows() {
        let mut run = fixture::rich();
        assert_eq!(
            changes_line(run.flows[0].life.as_ref().unwrap(), &run),
            "since the last run: 13 new, 2 still open, 3 acknowledged, 5 resolved, 2 given up"
        );
        run.flows[1].life = Some(FlowLife { new: 1_000, expired: 1, ..FlowLife::default() });
        assert_eq!((changes(lives(&run))[0], changes(lives(&run))[4]), ((1_013, "new"), (3, "given up")));
        run.last_run = None;
        assert_eq!(compared(&run, Language::En), "First run of the ledger");
        assert_eq!(
            changes_line(&FlowLife::default(), &run),
            "first run of the ledger: 0 new, 0 still open, 0 acknowledged, 0 resolved"
        );
    }

    #[test]
    fn what_waits_and_what_is_judged_is_said() {
        assert_eq!((due(0), due(1)), (None, Some("1 window is due and waits for the next run".to_owned())));
        assert_eq!(due(1_200).unwrap(), "1,200 windows are due and wait for the next run");
        let mut life = FlowLife::default();
        assert_eq!(watermark(&life, Tz::UTC), "nothing is judged without a gap yet");
        life.watermark = Some(Micros(1_793_577_600_000_000));
        assert_eq!(
            watermark(&life, Tz::Asia__Shanghai),
            "judged without a gap until 2026-11-02 08:00 +08:00"
        );
    }

    #[test]
    fn the_acknowledged_are_named_and_their_names_are_harmless() {
        let run = fixture::rich();
        assert_eq!(
            acknowledged(&run.flows[0]).unwrap(),
            "acknowledged, so the thresholds leave out: 2 missing at points\\u{202e}<i>, 1 stuck at the producer"
        );
        assert_eq!(acknowledged(&run.flows[1]), None);
    }
}
