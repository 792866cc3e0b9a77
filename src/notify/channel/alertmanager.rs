//! Prometheus Alertmanager, API v2: everything that fires, on every run. An alert is known by its labels, so nothing is in
//! them that changes; it is believed until `endsAt`, which lies beyond the next run.

use super::letter::Letter;
use super::{Answer, Micros, NotDelivered, Post, Service, Target};
use crate::model::alert::Event;
use crate::model::time::{DAY, HOUR, MINUTE};
use crate::model::{Alert, AlertKey, Verdict};
use crate::notify::brief::Line;
use crate::report::text::visible;
use serde_json::{Value, json};

const PATH: &str = "/api/v2/alerts";
/// Where nobody knows when the next run is.
const INTERVAL: i64 = DAY;
/// A run by hand shortly after another says nothing of when the next one is.
const INTERVAL_MIN: i64 = HOUR;
/// What is sent to see whether messages arrive is over so soon.
const TEST: i64 = 5 * MINUTE;

pub(super) const SERVICE: Service = Service { bodies, post, judge: Answer::by_status };

/// The end of the API, whether or not the URL names it.
pub(super) fn at(target: Target) -> Target {
    if target.ends_with(PATH) { target } else { target.below(PATH.trim_start_matches('/').split('/')) }
}

fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    if letter.is_test() {
        return vec![json!([trial(letter)])];
    }
    let lines = letter.digest.firing.iter().zip(&letter.brief.firing);
    let lines = lines.filter(|(alert, _)| alert.silenced.is_none());
    let mut alerts: Vec<_> = lines.map(|(alert, line)| firing(letter, alert, line)).collect();
    alerts.extend(letter.digest.firing.iter().filter_map(|alert| replaced(letter, alert)));
    alerts.extend(letter.digest.cleared.iter().map(|alert| ended(letter, alert, alert.level)));
    // What is not at one of them is not known there: an empty list says nothing.
    if alerts.is_empty() { Vec::new() } else { vec![Value::Array(alerts)] }
}

fn trial(letter: &Letter<'_>) -> Value {
    let from = letter.digest.as_of;
    json!({
        "labels": { "alertname": "MsgreconTest", "severity": "info" },
        "annotations": { "summary": letter.brief.subject },
        "startsAt": from, "endsAt": from.plus(TEST),
    })
}

fn firing(letter: &Letter<'_>, alert: &Alert, line: &Line) -> Value {
    let brief = &letter.brief;
    let mut annotations = json!({
        "summary": line.text, "value": line.value, "bound": line.bound, "run": brief.run,
        "report": brief.report, "numbers": brief.headline,
    });
    let more = [("description", &line.remedy), ("runbook_url", &line.runbook), ("rerun", &brief.rerun)];
    for (name, text) in more {
        if let Some(text) = text {
            annotations[name] = json!(text);
        }
    }
    json!({
        "labels": labels(letter, &alert.key, alert.level), "annotations": annotations,
        "startsAt": alert.since, "endsAt": letter.digest.as_of.plus(believed(letter)),
    })
}

/// The same alert under the severity that it had before: with another it is another alert there.
fn replaced(letter: &Letter<'_>, alert: &Alert) -> Option<Value> {
    let raised = |key: &AlertKey| {
        letter.digest.notices.iter().any(|one| one.event == Event::Raised && one.alert.key == *key)
    };
    let before = match alert.told_level {
        _ if raised(&alert.key) => Verdict::Warn,
        Some(told) if told != Verdict::Pass => told,
        _ => return None,
    };
    (before != alert.level).then(|| ended(letter, alert, before))
}

fn ended(letter: &Letter<'_>, alert: &Alert, level: Verdict) -> Value {
    let end = alert.cleared_at.unwrap_or(letter.digest.as_of);
    json!({
        "labels": labels(letter, &alert.key, level),
        "annotations": { "run": letter.brief.run },
        "startsAt": alert.since.min(end), "endsAt": end,
    })
}

fn labels(letter: &Letter<'_>, key: &AlertKey, level: Verdict) -> Value {
    let severity = match level {
        Verdict::Fail => "critical",
        Verdict::Warn | Verdict::Pass => "warning",
    };
    let mut labels = json!({
        "alertname": name(&key.metric), "severity": severity, "flow": visible(&key.flow), "metric": key.metric,
    });
    for (name, value) in [("consumer", &key.consumer), ("owner", &letter.digest.owner)] {
        if let Some(value) = value {
            labels[name] = json!(visible(value));
        }
    }
    labels
}

/// `MsgreconOldestPending`.
fn name(metric: &str) -> String {
    let capital = |word: &str| {
        let mut chars = word.chars();
        chars
            .next()
            .map(|first| first.to_uppercase().collect::<String>() + chars.as_str())
            .unwrap_or_default()
    };
    format!("Msgrecon{}", metric.split('_').map(capital).collect::<String>())
}

/// So many microseconds an alert is believed: two runs may be late or fail, and nothing flaps.
fn believed(letter: &Letter<'_>) -> i64 {
    let since_last = letter.run.last_run.as_ref().map(|last| letter.digest.as_of.since(last.as_of));
    let measured = since_last.map_or(INTERVAL, |interval| interval.max(INTERVAL_MIN));
    letter.channel.interval.unwrap_or(measured).saturating_mul(5) / 2
}

#[expect(clippy::unnecessary_wraps, reason = "every service has the same form")]
fn post(letter: &Letter<'_>, body: &Value, _: Micros) -> Result<Post, NotDelivered> {
    let headers = letter.bearer().into_iter().collect();
    Ok(Post { headers, ..Post::json(body.to_string().into_bytes()) })
}
