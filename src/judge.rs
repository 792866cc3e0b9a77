//! Counts + thresholds → verdict.

use crate::config::{Bound, Threshold};
use crate::model::latency::LatencySeconds;
use crate::model::life::Acknowledged;
use crate::model::run::{Breach, Counts, FlowReport};
use crate::model::time::{SECOND, human};
use crate::model::{Kind, Micros, Verdict};
use std::collections::BTreeMap;

/// What a metric measured.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Value {
    /// Messages or rows, out of so many acked messages.
    Count(u64, u64),
    /// Microseconds.
    Duration(i64),
}

/// The bounds that hold where the configuration sets none for the metric.
#[must_use]
pub fn default_threshold(metric: &str) -> Option<Threshold> {
    let one = Some(Bound::Count(1));
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

/// The bounds that a flow's counts reached, the producer's first, then by consumer; within each by metric.
///
/// What could not be read breaches nothing here: it is incomplete, which is said elsewhere and never passes as 0.
#[must_use]
pub fn breaches(report: &FlowReport, thresholds: &BTreeMap<String, Threshold>, as_of: Micros) -> Vec<Breach> {
    let mut producer = of_producer(report, as_of);
    forgive(&mut producer, None, &report.acknowledged);
    let mut found = check(None, &producer, thresholds);
    for consumer in &report.consumers {
        if let Some(counts) = &consumer.counts {
            let mut measured = of_consumer(counts);
            forgive(&mut measured, Some(&consumer.name), &report.acknowledged);
            found.extend(check(Some(&consumer.name), &measured, thresholds));
        }
    }
    found
}

/// What somebody has acknowledged stays in the totals and out of the verdict.
fn forgive(measured: &mut Measured, consumer: Option<&str>, acknowledged: &[Acknowledged]) {
    for known in acknowledged.iter().filter(|known| known.consumer.as_deref() == consumer) {
        let of_kind = measured.iter_mut().filter(|(metric, _)| *metric == known.kind.name());
        for (_, value) in of_kind {
            if let Value::Count(count, _) = value {
                *count = count.saturating_sub(known.count);
            }
        }
    }
}

/// The worst of the breaches.
#[must_use]
pub fn verdict(breaches: &[Breach]) -> Verdict {
    breaches.iter().map(|breach| breach.level).max().unwrap_or(Verdict::Pass)
}

type Measured = Vec<(&'static str, Value)>;

fn of_producer(report: &FlowReport, as_of: Micros) -> Measured {
    let mut measured = Measured::new();
    if let Some(events) = &report.events {
        let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_of_producer());
        measured.extend(kinds.map(|kind| (kind.name(), Value::Count(events.of(kind), events.acked))));
        measured.push(("unknown_state", Value::Count(events.unknown_state, events.acked)));
    }
    if let Some(backlog) = &report.backlog {
        let acked = report.events.map_or(0, |events| events.acked);
        measured.push(("backlog", Value::Count(backlog.count, acked)));
        measured.extend(backlog.oldest_age(as_of).map(|age| ("oldest_pending", Value::Duration(age))));
    }
    measured
}

fn of_consumer(counts: &Counts) -> Measured {
    let totals = &counts.totals;
    let kinds = Kind::ALL.into_iter().filter(|kind| !kind.is_of_producer() && *kind != Kind::Ok);
    let mut measured: Measured =
        kinds.map(|kind| (kind.name(), Value::Count(totals.of(kind), totals.acked))).collect();
    measured.push(("duplicate_records", Value::Count(totals.duplicate_records, totals.acked)));
    if let Some(LatencySeconds { p50, p95, p99, max }) = counts.latency {
        let latencies =
            [("latency_p50", p50), ("latency_p95", p95), ("latency_p99", p99), ("latency_max", max)];
        measured.extend(latencies.map(|(name, seconds)| (name, Value::Duration(micros(seconds)))));
    }
    measured
        .extend(counts.clock_skew_seconds.map(|seconds| ("clock_skew", Value::Duration(micros(seconds)))));
    measured
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_precision_loss,
    reason = "durations of years at the most"
)]
fn micros(seconds: f64) -> i64 {
    (seconds * SECOND as f64).round() as i64
}

fn check(
    consumer: Option<&str>,
    measured: &Measured,
    thresholds: &BTreeMap<String, Threshold>,
) -> Vec<Breach> {
    let mut found = Vec::new();
    for (metric, value) in measured {
        let Some(threshold) = thresholds.get(*metric).copied().or_else(|| default_threshold(metric)) else {
            continue;
        };
        let levels = [(Verdict::Fail, threshold.fail), (Verdict::Warn, threshold.warn)];
        let reached = levels.into_iter().find_map(|(level, bound)| {
            let bound = bound.filter(|bound| reaches(*value, *bound, threshold.min_volume))?;
            Some((level, bound))
        });
        if let Some((level, bound)) = reached {
            found.push(Breach {
                metric: (*metric).to_owned(),
                consumer: consumer.map(ToOwned::to_owned),
                level,
                value: show_value(*value, bound),
                bound: show_bound(bound),
            });
        }
    }
    found
}

fn reaches(value: Value, bound: Bound, min_volume: u64) -> bool {
    match (value, bound) {
        (Value::Count(count, _), Bound::Count(limit)) => count >= limit,
        (Value::Count(count, acked), Bound::Ratio(limit)) => {
            count > 0 && acked >= min_volume && ratio(count, acked) >= limit
        }
        (Value::Duration(length), Bound::Duration(limit)) => length >= limit,
        // The configuration does not let these pairs through.
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
        (Value::Count(count, _), _) => count.to_string(),
        (Value::Duration(length), _) => human(length),
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
    use crate::model::time::{HOUR, MINUTE};

    fn fired(metric: &'static str, value: Value, threshold: Option<Threshold>) -> Option<Verdict> {
        let set = threshold.map(|threshold| (metric.to_owned(), threshold)).into_iter().collect();
        check(Some("c"), &vec![(metric, value)], &set).first().map(|breach| breach.level)
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
            let mut measured = vec![("missing", Value::Count(5, 100)), ("stuck", Value::Count(1, 100))];
            forgive(&mut measured, Some("c"), &[known]);
            assert_eq!(measured, [("missing", Value::Count(left, 100)), ("stuck", Value::Count(1, 100))]);
        }
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
}
