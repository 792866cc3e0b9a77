//! Subject and headline: status and numbers first.

use super::numbers::{Number, acked, acknowledged};
use super::{Told, span};
use crate::model::alert::Event;
use crate::model::{Alert, Kind, Notice, Occasion};
use crate::report::text::{exact, grouped, visible};

/// Names of flows in a subject; with more of them the first stands for all.
const NAMED_MAX: usize = 3;
/// Metrics named in a subject besides the kinds.
const METRICS_MAX: usize = 3;
/// What was measured, in a subject.
const VALUE_MAX: usize = 60;

/// `[FAIL] order-paid: 12 missing, 3 duplicate / 1.2M acked (2026-01-01 00:00 until 24:00 +08:00)`.
pub(super) fn subject(told: &Told<'_>, numbers: &[Number]) -> String {
    let status = told.digest.status();
    let found = found(told, numbers, short);
    let (name, span) = (name(told), span::short(told));
    let name = match occasion(told) {
        Some(occasion) => told.language.fill("{0}: {1}", &[&occasion, &name]),
        None => name,
    };
    told.language.fill("[{0}] {1}: {2} ({3})", &[status, &name, &found, &span])
}

/// The numbers, exact.
pub(super) fn headline(told: &Told<'_>, numbers: &[Number]) -> String {
    found(told, numbers, grouped_count)
}

/// What a message is called that is neither an alert nor a report.
pub(super) fn occasion(told: &Told<'_>) -> Option<String> {
    match told.digest.occasion {
        Occasion::Alert | Occasion::Report => None,
        Occasion::AllQuiet => Some(told.language.text("all quiet").to_owned()),
        Occasion::Test => Some(told.language.text("test message").to_owned()),
    }
}

/// Whose flows: whole names, however long, since they are what a reader and a filter look for.
pub(super) fn name(told: &Told<'_>) -> String {
    let flows = &told.digest.flows;
    let count = grouped((flows.len() as u64).cast_signed());
    match (&told.digest.owner, flows.as_slice()) {
        (_, []) => "msgrecon".to_owned(),
        (_, [one]) => visible(one),
        (Some(owner), _) => told.language.fill("{0} ({1} flows)", &[&visible(owner), &count]),
        (None, few) if few.len() <= NAMED_MAX => {
            few.iter().map(|flow| visible(flow)).collect::<Vec<_>>().join(", ")
        }
        (None, [first, rest @ ..]) => told
            .language
            .fill("{0} and {1} more flows", &[&visible(first), &grouped((rest.len() as u64).cast_signed())]),
    }
}

fn found(told: &Told<'_>, numbers: &[Number], count: fn(u64) -> String) -> String {
    let mut parts = Vec::new();
    if told.digest.status() == "RESOLVED" {
        let cleared = grouped((told.digest.notices.len() as u64).cast_signed());
        parts.push(told.language.fill("{0} cleared", &[&cleared]));
    }
    parts.extend(numbers.iter().map(|number| number.text.clone()));
    let acked = acked(told.run);
    let ahead = told.digest.notices.iter().any(|notice| is_new_of_kind(told, &notice.alert));
    if numbers.is_empty() && acked.is_some() && !ahead {
        parts.push(told.language.text("0 differences").to_owned());
    }
    parts.extend(metrics(told, numbers));
    if acked.is_none() {
        parts.push(told.language.text("nothing could be read").to_owned());
    }
    let known = acknowledged(told.run);
    if known > 0 {
        let word = told.language.text("acknowledged");
        parts.push(told.language.fill("{0} {1}", &[&grouped(known.cast_signed()), word]));
    }
    let parts = parts.join(told.language.text(", "));
    match acked {
        Some(acked) => told.language.fill("{0} / {1} acked", &[&parts, &count(acked)]),
        None => parts,
    }
}

/// What fires and is not among the counts: a backlog, or differences of an earlier run.
fn metrics(told: &Told<'_>, numbers: &[Number]) -> Vec<String> {
    let counted = |metric: &str| numbers.iter().any(|number| number.kind.name() == metric);
    let mut named = Vec::new();
    for alert in told.digest.firing.iter().filter(|alert| alert.silenced.is_none()) {
        let metric = alert.key.metric.as_str();
        let text = match Kind::from_name(metric) {
            Some(kind) if is_new_of_kind(told, alert) => told.language.fill(
                "{0} {1}",
                &[
                    &exact(&told.language.say_again(&alert.value), VALUE_MAX),
                    super::numbers::word(kind, told.language),
                ],
            ),
            Some(kind) => told.language.fill(
                "{0} still {1}",
                &[
                    super::numbers::word(kind, told.language),
                    &exact(&told.language.say_again(&alert.value), VALUE_MAX),
                ],
            ),
            None => {
                format!("{} {}", visible(metric), exact(&told.language.say_again(&alert.value), VALUE_MAX))
            }
        };
        if !counted(metric) && !named.contains(&text) && named.len() < METRICS_MAX {
            named.push(text);
        }
    }
    named
}

/// Whether an alert of a kind has just begun: then what is not counted lies ahead of its window.
fn is_new_of_kind(told: &Told<'_>, alert: &Alert) -> bool {
    let new = |notice: &Notice| notice.event == Event::New && notice.alert.key == alert.key;
    Kind::from_name(&alert.key.metric).is_some() && told.digest.notices.iter().any(new)
}

fn grouped_count(count: u64) -> String {
    grouped(count.cast_signed())
}

/// `1,234,567` as `1.2M`: cut, not rounded, so that it never says more than there is.
fn short(count: u64) -> String {
    let (unit, name) = match count {
        0..100_000 => return grouped_count(count),
        100_000..1_000_000 => (1_000, "k"),
        1_000_000..1_000_000_000 => (1_000_000, "M"),
        _ => (1_000_000_000, "G"),
    };
    let (whole, tenth) = (count / unit, count % unit * 10 / unit);
    match tenth {
        0 => format!("{}{name}", grouped_count(whole)),
        _ => format!("{}.{tenth}{name}", grouped_count(whole)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_counts_are_cut_not_rounded() {
        let shown = [0, 99_999, 100_000, 999_999, 1_234_567, 2_000_000, 1_999_999_999].map(short);
        assert_eq!(shown, ["0", "99,999", "100k", "999.9k", "1.2M", "2M", "1.9G"]);
    }
}
