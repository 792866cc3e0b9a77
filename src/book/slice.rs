//! A slice of a flow's windows as it was judged, and several of them as one report.

use super::{Finished, Firm};
use crate::model::latency::Latency;
use crate::model::run::{Backlog, Counts, FlowReport, Strategy};
use crate::model::tally::EventTotals;
use crate::model::{ConsumerReport, Kind, Outcome, Problem, Span, Totals, Verdict, Window};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};

/// So many likely causes are told of a flow; of many slices each may have its own.
const HINTS_MAX: usize = 50;

/// What a report needs of a slice, without its differences.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Slice {
    /// From its first window to its last.
    pub span: Span,
    /// Its part of the flow's report, not judged against thresholds.
    pub report: FlowReport,
    /// Each consumer's latencies, in the order of the configuration.
    pub latencies: Vec<Latency>,
    /// Why it is not complete, if it is not.
    pub problems: Vec<Problem>,
    /// A source said that the configuration does not fit it.
    pub misconfigured: bool,
    /// Rows that belong to no range are counted here: in one slice of a run.
    pub aside: bool,
    /// How many differences were found.
    pub differences: u64,
    /// Windows that could be judged, each to its end or as far as they ever can be (true).
    #[serde(skip)]
    pub firm: Vec<(Window, bool)>,
}

impl Slice {
    /// What the books of a span come to.
    #[must_use]
    pub fn new(span: Span, finished: Finished) -> Self {
        let windows = finished.report.windows.iter().map(|(window, _)| *window);
        let firm = windows.zip(&finished.firm).filter(|(_, firm)| **firm != Firm::Open);
        Self {
            span,
            firm: firm.map(|(window, firm)| (window, *firm == Firm::Lapsed)).collect(),
            report: finished.report,
            latencies: finished.latencies,
            problems: finished.problems,
            misconfigured: false,
            aside: false,
            differences: finished.differences_total,
        }
    }

    /// A span of which nothing could be judged, and nothing is shown as 0.
    #[must_use]
    pub fn unread(name: &str, consumers: &[String], span: Span) -> Self {
        let consumer = |name: &String| ConsumerReport {
            name: name.clone(),
            outcome: Outcome::Incomplete,
            complete: false,
            strategy: Strategy::Stream,
            counts: None,
            not_decidable: Vec::new(),
            other_consumers: Vec::new(),
        };
        Self {
            span,
            report: FlowReport {
                name: name.to_owned(),
                outcome: Outcome::Incomplete,
                complete: false,
                verdict: Verdict::Pass,
                events: None,
                backlog: None,
                windows: Vec::new(),
                consumers: consumers.iter().map(consumer).collect(),
                acknowledged: Vec::new(),
                life: None,
                breaches: Vec::new(),
                hints: Vec::new(),
            },
            latencies: Vec::new(),
            problems: Vec::new(),
            misconfigured: false,
            aside: false,
            differences: 0,
            firm: Vec::new(),
        }
    }

    /// A window that was judged by an earlier run, and holds what is still open.
    #[must_use]
    pub fn carried(name: &str, window: Window, events: EventTotals, consumers: &[(String, Totals)]) -> Self {
        let report = |(name, totals): &(String, Totals)| carried_consumer(name, window, totals);
        let consumers: Vec<_> = consumers.iter().map(report).collect();
        let differences = events.differences()
            + consumers.iter().filter_map(|one| Some(one.counts.as_ref()?.totals.differences())).sum::<u64>();
        Self {
            span: window.0,
            latencies: vec![Latency::default(); consumers.len()],
            problems: Vec::new(),
            misconfigured: false,
            aside: false,
            differences,
            firm: Vec::new(),
            report: FlowReport {
                name: name.to_owned(),
                outcome: Outcome::of(differences, true),
                complete: true,
                verdict: Verdict::Pass,
                events: Some(events),
                backlog: None,
                windows: vec![(window, events)],
                consumers,
                acknowledged: Vec::new(),
                life: None,
                breaches: Vec::new(),
                hints: Vec::new(),
            },
        }
    }
}

fn carried_consumer(name: &str, window: Window, totals: &Totals) -> ConsumerReport {
    let mut counts = Counts { totals: *totals, windows: vec![(window, *totals)], ..Counts::default() };
    counts.receipts.read = totals.records();
    ConsumerReport {
        name: name.to_owned(),
        outcome: Outcome::of(totals.differences(), true),
        complete: true,
        strategy: Strategy::Stream,
        counts: Some(counts),
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    }
}

/// Several slices as one.
#[derive(Clone, Debug)]
pub struct Merged {
    /// Not judged against thresholds.
    pub report: FlowReport,
    /// Each problem once.
    pub problems: Vec<Problem>,
    /// A source said that the configuration does not fit it.
    pub misconfigured: bool,
    /// How many differences there are.
    pub differences: u64,
}

/// Adds up slices of one flow, in time order. `names` are its consumers, in the order of the configuration. What some
/// slices could not read leaves the flow incomplete and the counts of the others standing: each window says what it
/// holds. A side that no slice could read has no counts.
#[must_use]
pub fn merge(flow: &str, names: &[String], backlog: Option<Backlog>, slices: &[Slice]) -> Merged {
    let problems: BTreeSet<_> = slices.iter().flat_map(|slice| slice.problems.iter().cloned()).collect();
    let complete = slices.iter().all(|slice| slice.report.complete);
    let differences = slices.iter().map(|slice| slice.differences).sum();
    // Where others hold events, a quiet slice says nothing of the configuration.
    let busy = |slice: &&Slice| slice.report.events.is_some_and(|events| events.rows > 0);
    let quiet = !slices.iter().any(|slice| busy(&slice));
    let mut hints: Vec<String> = Vec::new();
    for hint in slices.iter().filter(|slice| quiet || busy(slice)).flat_map(|slice| &slice.report.hints) {
        if hints.len() < HINTS_MAX && !hints.contains(hint) {
            hints.push(hint.clone());
        }
    }
    let report = FlowReport {
        name: flow.to_owned(),
        outcome: Outcome::of(differences, complete),
        complete,
        verdict: Verdict::Pass,
        events: events(slices),
        backlog,
        windows: slices.iter().flat_map(|slice| slice.report.windows.iter().copied()).collect(),
        consumers: names.iter().map(|name| consumer(name, slices)).collect(),
        acknowledged: Vec::new(),
        life: None,
        breaches: Vec::new(),
        hints,
    };
    let misconfigured = slices.iter().any(|slice| slice.misconfigured);
    Merged { report, problems: problems.into_iter().collect(), misconfigured, differences }
}

fn events(slices: &[Slice]) -> Option<EventTotals> {
    let read = slices.iter().filter_map(|slice| slice.report.events);
    read.reduce(|mut all, part| {
        all.merge(&part);
        all
    })
}

fn consumer(name: &str, slices: &[Slice]) -> ConsumerReport {
    let of = |slice: &Slice| {
        let place = slice.report.consumers.iter().position(|consumer| consumer.name == name)?;
        Some((slice.report.consumers[place].clone(), slice.latencies.get(place).cloned()))
    };
    // A consumer that was added since a window was judged has nothing to say of that window.
    let parts: Vec<_> = slices.iter().filter_map(of).collect();
    let complete = parts.iter().all(|(part, _)| part.complete);
    let read: Vec<_> = parts.iter().filter_map(|(part, _)| part.counts.as_ref()).collect();
    let latencies = parts.iter().filter_map(|(_, latency)| latency.as_ref());
    let strategy = parts.iter().map(|(part, _)| part.strategy).max().unwrap_or(Strategy::Stream);
    let mut counts = (!read.is_empty()).then(|| added(&read, latencies));
    if let Some(counts) = counts.as_mut().filter(|_| strategy == Strategy::Sketch) {
        // Those of some windows would pass for those of all.
        (counts.latency, counts.clock_skew_seconds) = (None, None);
    }
    let totals = counts.as_ref().map(|counts| counts.totals).unwrap_or_default();
    let hidden: BTreeSet<Kind> =
        parts.iter().flat_map(|(part, _)| part.not_decidable.iter().copied()).collect();
    // Late messages of the windows that were streamed say nothing of the others.
    let partly = |kind| strategy == Strategy::Sketch && kind == Kind::Late;
    let mut others: BTreeMap<String, u64> = BTreeMap::new();
    for (other, records) in parts.iter().flat_map(|(part, _)| &part.other_consumers) {
        *others.entry(other.clone()).or_default() += records;
    }
    ConsumerReport {
        name: name.to_owned(),
        outcome: Outcome::of(totals.differences(), complete),
        complete,
        strategy,
        counts,
        not_decidable: hidden.into_iter().filter(|kind| totals.of(*kind) == 0 || partly(*kind)).collect(),
        other_consumers: others.into_iter().collect(),
    }
}

fn added<'a>(parts: &[&Counts], latencies: impl Iterator<Item = &'a Latency>) -> Counts {
    let mut all = Counts::default();
    for part in parts {
        all.totals.merge(&part.totals);
        all.receipts.merge(&part.receipts);
        all.consumed_but_parked += part.consumed_but_parked;
        all.windows.extend(part.windows.iter().copied());
        all.clock_skew_seconds = match (all.clock_skew_seconds, part.clock_skew_seconds) {
            (Some(one), Some(other)) => Some(one.max(other)),
            (one, other) => one.or(other),
        };
    }
    let mut latency = Latency::default();
    latencies.for_each(|part| latency.merge(part));
    all.latency = latency.seconds();
    all
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;
    use crate::model::time::HOUR;

    fn slice(hour: i64, missing: u64) -> Slice {
        let window = Window(Span::new(Micros(hour * HOUR), Micros((hour + 1) * HOUR)));
        let totals = Totals { acked: 10, ok: 10 - missing, missing, ..Totals::default() };
        let events = EventTotals { rows: 10, acked: 10, ..EventTotals::default() };
        Slice::carried("orders", window, events, &[("points".to_owned(), totals)])
    }

    fn names() -> Vec<String> {
        vec!["points".to_owned(), "sms".to_owned()]
    }

    #[test]
    fn slices_add_up_and_the_books_balance() {
        let merged = merge("orders", &names()[..1], None, &[slice(0, 1), slice(1, 0), slice(5, 2)]);
        let consumer = &merged.report.consumers[0];
        let counts = consumer.counts.as_ref().unwrap();
        assert_eq!((counts.totals.acked, counts.totals.missing, counts.residual()), (30, 3, 0));
        assert_eq!((merged.differences, merged.report.windows.len(), counts.windows.len()), (3, 3, 3));
        assert!(merged.report.complete && merged.report.events.unwrap().acked == 30);
    }

    #[test]
    fn what_was_not_read_leaves_the_rest_standing_and_the_flow_incomplete() {
        let unread = Slice::unread("orders", &names(), Span::new(Micros(0), Micros(HOUR)));
        let merged = merge("orders", &names(), None, &[unread.clone(), slice(1, 1)]);
        let [points, sms] = &merged.report.consumers[..] else { panic!("two consumers") };
        assert!(!merged.report.complete && !points.complete);
        assert_eq!(points.counts.as_ref().unwrap().totals.missing, 1);
        assert!(sms.counts.is_none(), "nobody has read it: unknown, and not 0");
        let nothing = merge("orders", &names(), None, &[unread]);
        assert!(nothing.report.events.is_none() && nothing.report.consumers[0].counts.is_none());
    }

    #[test]
    fn a_slice_is_read_again_as_it_was_written() {
        let first = Slice { aside: true, ..slice(3, 2) };
        let text = serde_json::to_string(&first).unwrap();
        let again: Slice = serde_json::from_str(&text).unwrap();
        assert_eq!(serde_json::to_string(&again).unwrap(), text);
    }
}
