//! `[flows.thresholds]`: the bounds of each metric.

use super::value;
use crate::config::tree::Item;
use crate::config::{Bound, Threshold};
use crate::model::Kind;
use std::collections::BTreeMap;
use toml::de::DeValue;

/// Metrics besides the kinds that are counted.
const COUNTS: [&str; 4] = ["unknown_state", "backlog", "duplicate_records", "incomplete"];

/// The metric that is bad when it is low.
const VOLUME: &str = "acked";

/// The metric that is told in deviations from what is usual.
const DROP: &str = "acked_drop";

/// Metrics that are spans of time.
const DURATIONS: [&str; 7] =
    ["oldest_pending", "latency_p50", "latency_p95", "latency_p99", "latency_max", "clock_skew", "overdue"];

const KEYS: [&str; 5] = ["warn", "fail", "min_volume", "for", "clear"];

/// The thresholds by metric.
pub(super) fn thresholds(item: &Item<'_>) -> Option<BTreeMap<String, Threshold>> {
    let section = item.open_section()?;
    let known = metrics();
    section.only_names("metric", &known);
    let entries = section.entries().into_iter().filter(|(metric, _)| known.contains(metric));
    let entry = |(metric, item): (&str, Item<'_>)| Some((metric.to_owned(), threshold(metric, &item)?));
    Some(entries.filter_map(entry).collect())
}

/// Every metric that can have bounds: whatever is counted, except what is as it should be.
#[must_use]
pub fn metrics() -> Vec<&'static str> {
    let kinds = Kind::ALL.into_iter().filter(|kind| *kind != Kind::Ok).map(Kind::name);
    kinds.chain(COUNTS).chain([VOLUME, DROP]).chain(DURATIONS).collect()
}

fn threshold(metric: &str, item: &Item<'_>) -> Option<Threshold> {
    let section = item.section(&KEYS)?;
    let bound = |item: &Item<'_>| bound(metric, item);
    let (warn, fail) = (section.get("warn", bound), section.get("fail", bound));
    if section.item("warn").or_else(|| section.item("fail")).is_none() {
        return item.problem("sets neither `warn` nor `fail`");
    }
    let lower = metric == VOLUME;
    match warn.zip(fail) {
        Some((warn, fail)) if !lower && is_below(fail, warn) => {
            section.get("fail", |item| item.problem::<()>("must not be below `warn`"));
        }
        Some((warn, fail)) if lower && is_below(warn, fail) => {
            section.get("fail", |item| {
                item.problem::<()>("must not be above `warn`: this bound is a lower one")
            });
        }
        _ => {}
    }
    let clear = section.get("clear", bound);
    for set in [warn, fail].into_iter().flatten() {
        if clear.is_some_and(|clear| if lower { is_below(clear, set) } else { is_below(set, clear) }) {
            section.get("clear", |item| item.problem::<()>("must lie on the good side of `warn` and `fail`"));
            break;
        }
    }
    let min_volume = section.get("min_volume", Item::count).unwrap_or(0);
    let hold = section.get("for", Item::count).unwrap_or(0);
    Some(Threshold { warn, fail, min_volume, hold, clear })
}

fn bound(metric: &str, item: &Item<'_>) -> Option<Bound> {
    let takes_duration = DURATIONS.contains(&metric);
    if metric == DROP {
        return score(item);
    }
    if metric == VOLUME {
        return item.count().map(Bound::Count);
    }
    match item.value {
        DeValue::String(_) => match item.text()? {
            _ if takes_duration => value::duration(item).map(Bound::Duration),
            text if text.trim_end().ends_with('%') => ratio(item, text),
            _ => item.problem(COUNT_FORMS),
        },
        DeValue::Integer(_) if !takes_duration => item.count().map(Bound::Count),
        _ if takes_duration => item.problem(r#"takes a duration, such as "10m""#),
        _ => item.problem(COUNT_FORMS),
    }
}

const COUNT_FORMS: &str = r#"takes a count, such as 1, or a ratio of the acked messages, such as "0.1%""#;

fn ratio(item: &Item<'_>, text: &str) -> Option<Bound> {
    let percent: Option<f64> = text.trim_end().strip_suffix('%').and_then(|text| text.trim().parse().ok());
    match percent {
        Some(percent) if percent > 0.0 && percent <= 100.0 => Some(Bound::Ratio(percent / 100.0)),
        _ => item.problem("a ratio is more than 0% and at most 100%"),
    }
}

fn score(item: &Item<'_>) -> Option<Bound> {
    let number = match item.value {
        DeValue::Integer(_) => item.count().and_then(|count| u32::try_from(count).ok()).map(f64::from),
        DeValue::Float(number) => number.as_str().parse().ok(),
        _ => return item.expected("a number of deviations from the median, such as 3.5"),
    };
    match number {
        Some(number) if number > 0.0 && number < 1e6 => Some(Bound::Score(number)),
        _ => item.problem("takes a number of deviations from the median, such as 3.5"),
    }
}

/// Bounds of different forms cannot be compared.
fn is_below(one: Bound, other: Bound) -> bool {
    match (one, other) {
        (Bound::Count(one), Bound::Count(other)) => one < other,
        (Bound::Ratio(one), Bound::Ratio(other)) | (Bound::Score(one), Bound::Score(other)) => one < other,
        (Bound::Duration(one), Bound::Duration(other)) => one < other,
        _ => false,
    }
}
