//! What each metric of a flow measured.

use super::volume;
use crate::model::latency::LatencySeconds;
use crate::model::life::Acknowledged;
use crate::model::run::{ConsumerReport, Counts, FlowReport};
use crate::model::time::SECOND;
use crate::model::{Kind, Micros};

/// What a metric measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Value {
    /// Messages or rows, out of so many acked messages.
    Count(u64, u64),
    /// Messages of which there should be many.
    Volume(u64),
    /// Microseconds.
    Duration(i64),
    /// Robust deviations below the median.
    Score(f64),
}

/// A metric and what it measured, over everything and by window.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Measured {
    pub(super) metric: &'static str,
    pub(super) value: Value,
    /// So many of it lie in windows that are not due yet.
    pub(super) ahead: u64,
    /// In time order; `None` where it is not measured by window.
    pub(super) windows: Option<Vec<Value>>,
}

impl Measured {
    pub(super) fn whole(metric: &'static str, value: Value) -> Self {
        Self { metric, value, ahead: 0, windows: None }
    }
}

/// The producer's counts, and what waits for its relay.
pub(super) fn of_producer(report: &FlowReport, as_of: Micros) -> Vec<Measured> {
    let mut measured = Vec::new();
    if let Some(events) = &report.events {
        for kind in Kind::ALL.into_iter().filter(|kind| kind.is_of_producer()) {
            let windows = report.windows.iter();
            let windows = windows.map(|(_, events)| Value::Count(events.of(kind), events.acked)).collect();
            // A relay that has stopped shall be told of before the window that it stopped in is due.
            let ahead = report.backlog.and_then(|backlog| backlog.stuck_ahead).unwrap_or(0);
            let ahead = if kind == Kind::Stuck { ahead } else { 0 };
            let value = Value::Count(events.of(kind) + ahead, events.acked);
            measured.push(Measured { metric: kind.name(), value, ahead, windows: Some(windows) });
        }
        measured.push(Measured::whole("unknown_state", Value::Count(events.unknown_state, events.acked)));
    }
    if let Some(backlog) = &report.backlog {
        let acked = report.events.map_or(0, |events| events.acked);
        measured.push(Measured::whole("backlog", Value::Count(backlog.count, acked)));
        let age = backlog.oldest_age(as_of).unwrap_or(0);
        measured.push(Measured::whole("oldest_pending", Value::Duration(age)));
    }
    forgive(&mut measured, None, &report.acknowledged);
    measured
}

/// What concerns the flow as a whole: whether it was judged, and how much of it there is.
pub(super) fn of_flow(report: &FlowReport, as_of: Micros) -> Vec<Measured> {
    let mut measured = vec![Measured::whole("incomplete", Value::Count(u64::from(!report.complete), 0))];
    let life = report.life.as_ref();
    if let Some(volume) = life.and_then(|life| life.volume.as_ref()) {
        measured.push(Measured::whole("acked", Value::Volume(volume.acked)));
        measured.extend(volume::drop(volume).map(|score| Measured::whole("acked_drop", Value::Score(score))));
    }
    if let Some(overdue) = life.and_then(|life| life.overdue.as_ref()) {
        let waits = overdue.since.map_or(0, |since| as_of.since(since));
        measured.push(Measured::whole("overdue", Value::Duration(waits)));
    }
    measured
}

/// A consumer's counts and times.
pub(super) fn of_consumer(counts: &Counts, name: Option<&str>, report: &FlowReport) -> Vec<Measured> {
    let mut measured = Vec::new();
    // Sums show no lateness: 0 of it would be a false calm.
    let hidden = |kind: Kind| {
        let of = |consumer: &&ConsumerReport| name.is_none_or(|name| consumer.name == name);
        let told = |consumer: &ConsumerReport| consumer.not_decidable.contains(&kind);
        kind == Kind::Late && counts.totals.of(kind) == 0 && report.consumers.iter().filter(of).any(told)
    };
    let own = |kind: &Kind| !kind.is_of_producer() && *kind != Kind::Ok && !hidden(*kind);
    for kind in Kind::ALL.into_iter().filter(own) {
        let windows = counts.windows.iter();
        let windows = windows.map(|(_, totals)| Value::Count(totals.of(kind), totals.acked)).collect();
        let value = Value::Count(counts.totals.of(kind), counts.totals.acked);
        measured.push(Measured { metric: kind.name(), value, ahead: 0, windows: Some(windows) });
    }
    let records = Value::Count(counts.totals.duplicate_records, counts.totals.acked);
    measured.push(Measured::whole("duplicate_records", records));
    if let Some(LatencySeconds { p50, p95, p99, max }) = counts.latency {
        let latencies =
            [("latency_p50", p50), ("latency_p95", p95), ("latency_p99", p99), ("latency_max", max)];
        measured
            .extend(latencies.map(|(name, seconds)| Measured::whole(name, Value::Duration(micros(seconds)))));
    }
    let skew = counts.clock_skew_seconds;
    measured.extend(skew.map(|seconds| Measured::whole("clock_skew", Value::Duration(micros(seconds)))));
    forgive(&mut measured, name, &report.acknowledged);
    measured
}

/// What somebody has acknowledged stays in the totals and out of the verdict.
pub(super) fn forgive(measured: &mut [Measured], consumer: Option<&str>, acknowledged: &[Acknowledged]) {
    for known in acknowledged.iter().filter(|known| known.consumer.as_deref() == consumer) {
        for one in measured.iter_mut().filter(|one| one.metric == known.kind.name()) {
            if let Value::Count(count, _) = &mut one.value {
                *count = count.saturating_sub(known.count);
            }
        }
    }
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "durations of years at the most"
)]
fn micros(seconds: f64) -> i64 {
    (seconds * SECOND as f64).round() as i64
}
