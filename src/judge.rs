//! Counts + thresholds → verdict, and the readings that alerts are made from.

mod measure;
mod volume;

use crate::config::{Bound, Flow, Threshold};
use crate::model::run::{Breach, FlowReport};
use crate::model::time::human;
use crate::model::{Kind, Micros, Verdict};
use measure::{Measured, Value, of_consumer, of_flow, of_producer};

/// Metrics that alerts tell of and that the verdict leaves to the exit code: whether a run came to its end.
const ALERTS_ONLY: [&str; 2] = ["incomplete", "overdue"];

/// A metric of a flow, held against its bounds.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    /// `None` for the producer alone, and for what concerns the flow as a whole.
    pub consumer: Option<String>,
    /// Its name.
    pub metric: String,
    /// The kind that it counts, if it does.
    pub kind: Option<Kind>,
    /// Of the bound that it reached; the worse where it reached both.
    pub level: Option<Verdict>,
    /// Whether an alert that fires has reason to go on: it is beyond the bound below which it is well again.
    pub unwell: bool,
    /// Whether all that it is about was read.
    pub whole: bool,
    /// What was measured, as text with its unit.
    pub value: String,
    /// The bound that it reached, else its lowest, as text with its unit.
    pub bound: String,
    /// So many of what was counted lie in windows that are not due yet, so that no difference stands for them.
    pub ahead: u64,
    /// So many windows in a row must reach the bound until an alert fires.
    pub hold: u64,
    /// So many windows in a row did; `None` where it is not measured by window.
    pub held: Option<u64>,
    /// So many of them at the end, up to the newest window.
    pub tail: u64,
}

/// The bounds that hold where the configuration sets none for the metric.
#[must_use]
pub fn default_threshold(metric: &str) -> Option<Threshold> {
    let one = Some(Bound::Count(1));
    if metric == "incomplete" {
        return Some(Threshold { warn: one, ..Threshold::default() });
    }
    match Kind::from_name(metric)? {
        Kind::Missing => Some(Threshold { fail: one, ..Threshold::default() }),
        Kind::Duplicate
        | Kind::Orphan
        | Kind::Stuck
        | Kind::AckLost
        | Kind::PublishFailed
        | Kind::DeadLettered
        | Kind::Unattributable => Some(Threshold { warn: one, ..Threshold::default() }),
        _ => None,
    }
}

/// The bounds of a metric: the consumer's own, the flow's, the default ones.
#[must_use]
pub fn threshold(flow: &Flow, consumer: Option<&str>, metric: &str) -> Option<Threshold> {
    let own = flow.consumers.iter().find(|one| Some(one.name.as_str()) == consumer);
    let set = own.and_then(|one| one.thresholds.get(metric)).or_else(|| flow.thresholds.get(metric));
    set.copied().or_else(|| default_threshold(metric))
}

/// Whether the configuration holds a bound of a metric, and the consumer that it is of.
#[must_use]
pub fn is_watched(flow: &Flow, consumer: Option<&str>, metric: &str) -> bool {
    let there = |name: &str| flow.consumers.iter().any(|one| one.name == name);
    consumer.is_none_or(there) && threshold(flow, consumer, metric).is_some()
}

/// Every metric of a flow that has bounds, the producer's first, then by consumer; within each in a fixed order.
///
/// What could not be read is left out: it is incomplete, which is a metric of its own, and never passes as 0. What of a
/// consumer was read in part says so: it may be over its bound, and cannot be known to be well.
#[must_use]
pub fn readings(report: &FlowReport, flow: &Flow, as_of: Micros) -> Vec<Reading> {
    let mut found = read(None, &of_producer(report, as_of), flow);
    found.extend(read(None, &of_flow(report, as_of), flow));
    for consumer in &report.consumers {
        if let Some(counts) = &consumer.counts {
            let name = Some(consumer.name.as_str());
            let read = read(name, &of_consumer(counts, name, report), flow).into_iter();
            found.extend(read.map(|reading| Reading { whole: consumer.complete, ..reading }));
        }
    }
    found
}

/// The bounds that a flow's counts reached, the producer's first, then by consumer; within each by metric.
#[must_use]
pub fn breaches(report: &FlowReport, flow: &Flow, as_of: Micros) -> Vec<Breach> {
    let reached = readings(report, flow, as_of).into_iter();
    let reached = reached.filter(|reading| !ALERTS_ONLY.contains(&reading.metric.as_str()));
    reached.filter_map(breach).collect()
}

fn breach(reading: Reading) -> Option<Breach> {
    Some(Breach {
        metric: reading.metric,
        consumer: reading.consumer,
        level: reading.level?,
        value: reading.value,
        bound: reading.bound,
    })
}

/// The worst of the breaches.
#[must_use]
pub fn verdict(breaches: &[Breach]) -> Verdict {
    breaches.iter().map(|breach| breach.level).max().unwrap_or(Verdict::Pass)
}

fn read(consumer: Option<&str>, measured: &[Measured], flow: &Flow) -> Vec<Reading> {
    let read = |one: &Measured| {
        let threshold = threshold(flow, consumer, one.metric)?;
        Some(reading(consumer, one, &threshold))
    };
    measured.iter().filter_map(read).collect()
}

fn reading(consumer: Option<&str>, one: &Measured, threshold: &Threshold) -> Reading {
    let levels = [(Verdict::Fail, threshold.fail), (Verdict::Warn, threshold.warn)];
    let reached = levels.into_iter().find_map(|(level, bound)| {
        let bound = bound.filter(|bound| reaches(one.value, *bound, threshold.min_volume))?;
        Some((level, bound))
    });
    let lowest = threshold.warn.or(threshold.fail);
    let shown = reached.map(|(_, bound)| bound).or(lowest);
    let clear = threshold.clear.is_some_and(|clear| reaches(one.value, clear, 0));
    let holds = |value: &Value| lowest.is_some_and(|bound| reaches(*value, bound, threshold.min_volume));
    Reading {
        consumer: consumer.map(ToOwned::to_owned),
        metric: one.metric.to_owned(),
        kind: Kind::from_name(one.metric),
        level: reached.map(|(level, _)| level),
        unwell: clear || reached.is_some(),
        whole: true,
        value: shown.map_or_else(String::new, |bound| show_value(one.value, bound)),
        bound: shown.map_or_else(String::new, show_bound),
        ahead: one.ahead,
        hold: threshold.hold,
        held: one.windows.as_ref().map(|windows| longest(windows.iter().map(holds))),
        tail: one
            .windows
            .as_ref()
            .map_or(0, |windows| windows.iter().rev().take_while(|one| holds(one)).count() as u64),
    }
}

/// The longest row of yes.
fn longest(answers: impl Iterator<Item = bool>) -> u64 {
    let (mut best, mut row) = (0, 0);
    for yes in answers {
        row = if yes { row + 1 } else { 0 };
        best = best.max(row);
    }
    best
}

fn reaches(value: Value, bound: Bound, min_volume: u64) -> bool {
    match (value, bound) {
        (Value::Count(count, _), Bound::Count(limit)) => count >= limit,
        (Value::Volume(count), Bound::Count(limit)) => count < limit,
        (Value::Count(count, acked), Bound::Ratio(limit)) => {
            count > 0 && acked >= min_volume && ratio(count, acked) >= limit
        }
        (Value::Duration(length), Bound::Duration(limit)) => length >= limit,
        (Value::Score(score), Bound::Score(limit)) => score >= limit,
        // The configuration does not let other pairs through.
        _ => false,
    }
}

/// Of acked messages; something out of nothing is all.
#[expect(clippy::cast_precision_loss, reason = "a share of a count")]
fn ratio(count: u64, acked: u64) -> f64 {
    if acked == 0 { 1.0 } else { count as f64 / acked as f64 }
}

fn show_value(value: Value, bound: Bound) -> String {
    match (value, bound) {
        (Value::Count(count, acked), Bound::Ratio(_)) => {
            format!("{:.3}% ({count} of {acked})", ratio(count, acked) * 100.0)
        }
        (Value::Count(count, _) | Value::Volume(count), _) => count.to_string(),
        (Value::Duration(length), _) => human(length),
        (Value::Score(score), _) => format!("{score:.1}"),
    }
}

/// A bound as the configuration writes it.
#[must_use]
pub fn show_bound(bound: Bound) -> String {
    match bound {
        Bound::Count(limit) => limit.to_string(),
        Bound::Ratio(limit) => format!("{}%", limit * 100.0),
        Bound::Duration(limit) => human(limit),
        Bound::Score(limit) => limit.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::life::Acknowledged;
    use crate::model::run::{ConsumerReport, Counts, Outcome, Strategy};
    use crate::model::time::{HOUR, MINUTE};

    fn fired(metric: &'static str, value: Value, set: Option<Threshold>) -> Option<Verdict> {
        let threshold = set.or_else(|| default_threshold(metric))?;
        reading(Some("c"), &Measured::whole(metric, value), &threshold).level
    }

    #[test]
    fn defaults_fail_on_missing_and_warn_on_the_rest() {
        for kind in Kind::ALL {
            let level = fired(kind.name(), Value::Count(1, 100), None);
            let quiet = matches!(
                kind,
                Kind::Ok | Kind::Late | Kind::Discarded | Kind::InFlight | Kind::Unverifiable | Kind::Pending
            );
            let right =
                if kind == Kind::Missing { Some(Verdict::Fail) } else { (!quiet).then_some(Verdict::Warn) };
            assert_eq!(level, right, "{kind}");
            assert_eq!(fired(kind.name(), Value::Count(0, 100), None), None, "{kind}");
        }
    }

    #[test]
    fn what_is_acknowledged_breaches_nothing() {
        let acknowledged = |consumer: Option<&str>, count| Acknowledged {
            consumer: consumer.map(str::to_owned),
            kind: Kind::Missing,
            count,
        };
        for (known, left) in [
            (acknowledged(Some("c"), 3), 2),
            (acknowledged(Some("c"), 9), 0),
            (acknowledged(Some("d"), 3), 5),
        ] {
            let of = |missing| {
                let counts = [("missing", missing), ("stuck", 1)];
                counts.map(|(metric, count)| Measured::whole(metric, Value::Count(count, 100)))
            };
            let mut measured = of(5);
            measure::forgive(&mut measured, Some("c"), &[known]);
            assert_eq!(measured, of(left));
        }
    }

    #[test]
    fn what_was_read_in_part_says_so() {
        let text = "[databases.p]\nurl = 'sqlite://p.db'\ntime_zone = \"UTC\"\n[[flows]]\nname = \"orders\"\n[flows.events]\n\
                    database = \"p\"\ntable = \"event\"\nid = \"id\"\ncreated_at = \"at\"\nacked = \"true\"\n[[flows.consumers]]\n\
                    name = \"points\"\ndatabase = \"p\"\ntable = \"done\"\nconsumer = \"who\"\nid = \"id\"\nconsumed_at = \"at\"\n\
                    [flows.thresholds]\nlate = { warn = 1 }\n";
        let file = std::path::Path::new("msgrecon.toml");
        let config = crate::config::parse(text, file, &|_| None, &|_| Ok(String::new())).unwrap();
        let points = ConsumerReport {
            name: "points".to_owned(),
            outcome: Outcome::Incomplete,
            complete: false,
            strategy: Strategy::Stream,
            counts: Some(Counts::default()),
            not_decidable: Vec::new(),
            other_consumers: Vec::new(),
        };
        let mut report = FlowReport {
            name: "orders".to_owned(),
            outcome: Outcome::Incomplete,
            complete: false,
            verdict: Verdict::Pass,
            events: None,
            backlog: None,
            windows: Vec::new(),
            consumers: vec![points],
            acknowledged: Vec::new(),
            life: None,
            breaches: Vec::new(),
            hints: Vec::new(),
        };
        for complete in [false, true] {
            report.consumers[0].complete = complete;
            let found = readings(&report, &config.flows[0], Micros(1));
            let missing = found.iter().find(|reading| reading.metric == "missing").unwrap();
            assert_eq!((missing.unwell, missing.whole), (false, complete));
        }
        let mut judges_lateness = |hidden: &[Kind], late: u64| {
            report.consumers[0].not_decidable = hidden.to_vec();
            let totals = &mut report.consumers[0].counts.as_mut().unwrap().totals;
            (0..late).for_each(|_| totals.add(Kind::Late, 1));
            readings(&report, &config.flows[0], Micros(1)).iter().any(|reading| reading.metric == "late")
        };
        assert!(judges_lateness(&[], 0));
        assert!(!judges_lateness(&[Kind::Late], 0), "nothing is known of it");
        assert!(judges_lateness(&[Kind::Late], 3), "another slice has shown some");
        assert!(is_watched(&config.flows[0], Some("points"), "missing"));
        assert!(!is_watched(&config.flows[0], Some("gone"), "missing"));
        assert!(!is_watched(&config.flows[0], Some("points"), "latency_p95"));
    }

    #[test]
    fn a_ratio_counts_only_from_its_volume_on() {
        let threshold = Threshold {
            warn: Some(Bound::Count(1)),
            fail: Some(Bound::Ratio(0.001)),
            min_volume: 1000,
            ..Threshold::default()
        };
        for (count, acked, right) in [
            (0, 5000, None),
            (1, 5000, Some(Verdict::Warn)),
            (5, 5000, Some(Verdict::Fail)),
            (500, 999, Some(Verdict::Warn)),
            (1, 1000, Some(Verdict::Fail)),
        ] {
            assert_eq!(
                fired("missing", Value::Count(count, acked), Some(threshold)),
                right,
                "{count} of {acked}"
            );
        }
        let orphans = Threshold { fail: Some(Bound::Ratio(0.5)), ..Threshold::default() };
        assert_eq!(fired("orphan", Value::Count(1, 0), Some(orphans)), Some(Verdict::Fail));
    }

    #[test]
    fn durations_are_compared_as_durations() {
        let threshold = Threshold {
            warn: Some(Bound::Duration(10 * MINUTE)),
            fail: Some(Bound::Duration(HOUR)),
            ..Threshold::default()
        };
        for (age, right) in
            [(MINUTE, None), (10 * MINUTE, Some(Verdict::Warn)), (22 * HOUR, Some(Verdict::Fail))]
        {
            assert_eq!(fired("oldest_pending", Value::Duration(age), Some(threshold)), right);
        }
        assert_eq!(
            (show_bound(Bound::Ratio(0.001)), show_bound(Bound::Duration(HOUR))),
            ("0.1%".into(), "1h".into())
        );
    }

    #[test]
    fn too_few_messages_are_a_breach_too() {
        let threshold =
            Threshold { warn: Some(Bound::Count(100)), fail: Some(Bound::Count(1)), ..Threshold::default() };
        for (acked, right) in [(100, None), (99, Some(Verdict::Warn)), (0, Some(Verdict::Fail))] {
            assert_eq!(fired("acked", Value::Volume(acked), Some(threshold)), right, "{acked}");
        }
        assert_eq!(fired("acked", Value::Volume(0), None), None);
    }

    #[test]
    fn windows_in_a_row_are_counted_and_an_alert_is_well_only_below_clear() {
        let threshold = Threshold {
            warn: Some(Bound::Count(10)),
            hold: 3,
            clear: Some(Bound::Count(5)),
            ..Threshold::default()
        };
        let read = |counts: &[u64]| {
            let windows = counts.iter().map(|count| Value::Count(*count, 100)).collect();
            let value = Value::Count(counts.iter().sum(), 1000);
            let one = Measured { metric: "late", value, ahead: 0, windows: Some(windows) };
            let reading = reading(Some("c"), &one, &threshold);
            (reading.level.is_some(), reading.unwell, reading.held)
        };
        assert_eq!(read(&[9, 9, 9]), (true, true, Some(0)));
        assert_eq!(read(&[10, 10, 3, 12, 10, 11, 0]), (true, true, Some(3)));
        assert_eq!(read(&[3, 3]), (false, true, Some(0)));
        assert_eq!(read(&[2, 2]), (false, false, Some(0)));
    }
}
