//! What a run found, flow by flow.

use super::format::{Family, seconds};
use crate::model::life::Acknowledged;
use crate::model::run::{Backlog, Counts};
use crate::model::{ConsumerReport, FlowReport, Kind, Run};
use crate::report::facts::judged;

/// Names the producer where a consumer is named otherwise, as on the command line.
const PRODUCER: &str = "-";

/// The families in their order; one without samples is not written.
pub(super) fn families(run: &Run) -> Vec<Family> {
    let mut families = progress(run);
    families.extend(counted(run));
    families.extend(backlog(run));
    families.push(kept(run));
    families
}

/// A family with one value for each flow that has one.
fn per_flow<V: std::fmt::Display>(
    run: &Run,
    name: &'static str,
    help: &'static str,
    value: impl Fn(&FlowReport) -> Option<V>,
) -> Family {
    let family = Family::new(name, help);
    run.flows.iter().fold(family, |family, flow| family.with(&[("flow", &flow.name)], value(flow)))
}

fn progress(run: &Run) -> Vec<Family> {
    let end = |flow: &FlowReport| judged::windows(flow).last().map(|window| seconds(window.0.until.0));
    let watermark = |flow: &FlowReport| flow.life.as_ref()?.watermark.map(|at| seconds(at.0));
    let due = |flow: &FlowReport| flow.life.as_ref().map(|life| life.due);
    vec![
        per_flow(run, "window_end_timestamp_seconds", "The end of the last window that the run judged.", end),
        per_flow(
            run,
            "watermark_timestamp_seconds",
            "Every window of the flow up to here has been judged.",
            watermark,
        ),
        per_flow(run, "windows_overdue", "Windows that are due and that the run left to the next.", due),
        per_flow(run, "incomplete", "1 where something could not be read or decided, else 0.", |flow| {
            Some(u8::from(!flow.complete))
        }),
    ]
}

/// The consumers whose counts are known.
fn consumers(run: &Run) -> impl Iterator<Item = (&FlowReport, &ConsumerReport, &Counts)> {
    let all = run.flows.iter().flat_map(|flow| flow.consumers.iter().map(move |one| (flow, one)));
    all.filter_map(|(flow, consumer)| Some((flow, consumer, consumer.counts.as_ref()?)))
}

fn counted(run: &Run) -> Vec<Family> {
    let mut messages =
        Family::new("messages", "Messages of the windows that the run judged: acked, and consumed of them.");
    let mut ratio =
        Family::new("difference_ratio", "Acked messages that differ, as a share of all acked ones, 0 to 1.");
    let mut latency = Family::new("latency_seconds", "From the ack to the receipt.");
    for (flow, consumer, counts) in consumers(run) {
        let at = [("flow", flow.name.as_str()), ("consumer", consumer.name.as_str())];
        for (side, count) in [("acked", counts.totals.acked), ("consumed", counts.totals.consumed())] {
            messages.add(&[at[0], at[1], ("side", side)], count);
        }
        ratio = ratio.with(&at, difference_ratio(consumer, counts));
        if let Some(measured) = counts.latency {
            let values =
                [("p50", measured.p50), ("p95", measured.p95), ("p99", measured.p99), ("max", measured.max)];
            values.iter().for_each(|(name, value)| latency.add(&[at[0], at[1], ("statistic", name)], value));
        }
    }
    let [found, known] = differences(run);
    vec![events(run), messages, found, known, ratio, latency]
}

/// The producer's own counts.
fn events(run: &Run) -> Family {
    let mut family =
        Family::new("events", "Messages of the windows that the run judged, by the event's state.");
    for flow in &run.flows {
        let Some(events) = flow.events else { continue };
        let states = [
            ("acked", events.acked),
            ("pending", events.pending + events.stuck),
            ("failed", events.publish_failed),
            ("unknown", events.unknown_state),
        ];
        for (state, count) in states {
            family.add(&[("flow", &flow.name), ("state", state)], count);
        }
    }
    family
}

/// What differs, and what of it the verdict does not count: both with the same labels, so that one can be taken from the
/// other.
fn differences(run: &Run) -> [Family; 2] {
    let mut found = Family::new(
        "differences",
        "Messages of the windows that the run judged that need attention; consumer - is the producer.",
    );
    let mut known = Family::new("acknowledged_differences", "Those of them that somebody has acknowledged.");
    let mut add = |flow: &FlowReport, consumer: Option<&str>, kind: Kind, count: u64| {
        let labels =
            [("flow", flow.name.as_str()), ("consumer", consumer.unwrap_or(PRODUCER)), ("kind", kind.name())];
        let same = |one: &&Acknowledged| one.consumer.as_deref() == consumer && one.kind == kind;
        found.add(&labels, count);
        known.add(&labels, flow.acknowledged.iter().find(same).map_or(0, |one| one.count));
    };
    for flow in &run.flows {
        let Some(events) = flow.events else { continue };
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_difference() && kind.is_of_producer()) {
            add(flow, None, kind, events.of(kind));
        }
    }
    for (flow, consumer, counts) in consumers(run) {
        for kind in decidable(consumer) {
            add(flow, Some(&consumer.name), kind, counts.totals.of(kind));
        }
    }
    [found, known]
}

/// The kinds of differences that a consumer's layout can show.
fn decidable(consumer: &ConsumerReport) -> impl Iterator<Item = Kind> {
    let of_consumer = |kind: &Kind| kind.is_difference() && !kind.is_of_producer();
    Kind::ALL.into_iter().filter(of_consumer).filter(|kind| !consumer.not_decidable.contains(kind))
}

/// `None` where nothing was acked: that is no share of anything.
#[expect(clippy::cast_precision_loss, reason = "a share needs no more than 15 digits")]
fn difference_ratio(consumer: &ConsumerReport, counts: &Counts) -> Option<f64> {
    let acked = |kind: &Kind| !matches!(kind, Kind::Orphan | Kind::AckLost);
    let differ: u64 = decidable(consumer).filter(acked).map(|kind| counts.totals.of(kind)).sum();
    (counts.totals.acked > 0).then(|| differ as f64 / counts.totals.acked as f64)
}

fn backlog(run: &Run) -> Vec<Family> {
    // No pending event is no age; pending events without a usable time have one that nobody knows.
    let age = |backlog: Backlog| match (backlog.count, backlog.oldest_age(run.as_of)) {
        (0, _) => Some(0),
        (_, age) => age,
    };
    vec![
        per_flow(
            run,
            "event_backlog_rows",
            "Events that wait for the relay, whatever their window.",
            |flow| flow.backlog.map(|backlog| backlog.count),
        ),
        per_flow(
            run,
            "event_backlog_undated_rows",
            "Of them, those without a usable creation time: no age shows them.",
            |flow| flow.backlog.map(|backlog| backlog.undated),
        ),
        per_flow(
            run,
            "event_backlog_oldest_age_seconds",
            "Age of the oldest event that waits; 0 where none does.",
            |flow| flow.backlog.and_then(age).map(seconds),
        ),
    ]
}

/// What the ledger knows.
fn kept(run: &Run) -> Family {
    per_flow(
        run,
        "open_differences",
        "Differences of any window that are open and that nobody has acknowledged.",
        |flow| flow.life.as_ref().map(|life| life.new + life.still_open),
    )
}
