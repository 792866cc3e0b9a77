//! PagerDuty, Events API v2: one event for each alert that something happened to. It knows an alert by its `dedup_key`,
//! so that what is sent again opens nothing anew.

use super::letter::Letter;
use super::size::{Size, clip};
use super::{Answer, Micros, NotDelivered, Post, Service};
use crate::model::alert::{Event, Notice};
use crate::model::{AlertKey, Verdict};
use crate::notify::brief::Line;
use crate::notify::signature::fingerprint;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use url::Url;

const SUMMARY_MAX: usize = 1_024;
/// Of one event; what is below it in [`Size`] takes a small part of it.
const BYTES_MAX: usize = 500_000;

pub(super) const SERVICE: Service = Service { bodies, post, judge: Answer::by_status };

fn bodies(letter: &Letter<'_>) -> Vec<Value> {
    if letter.is_test() {
        return trial(letter);
    }
    let told = letter.digest.notices.iter().zip(&letter.brief.lines);
    told.map(|(notice, line)| event(letter, notice, line)).collect()
}

/// Opens an incident that wakes nobody, and closes it.
fn trial(letter: &Letter<'_>) -> Vec<Value> {
    let dedup_key = fingerprint(&["test", &letter.digest.key]);
    let summary = clip(&letter.brief.subject, SUMMARY_MAX, char::len_utf16);
    let payload = json!({ "summary": summary, "source": "msgrecon", "severity": "info" });
    vec![
        json!({ "event_action": "trigger", "dedup_key": dedup_key, "client": "msgrecon", "payload": payload }),
        json!({ "event_action": "resolve", "dedup_key": dedup_key }),
    ]
}

/// What an alert is known by.
pub(super) fn dedup_key(key: &AlertKey) -> String {
    match &key.consumer {
        Some(consumer) => fingerprint(&[&key.flow, consumer, &key.metric]),
        None => fingerprint(&[&key.flow, &key.metric]),
    }
}

fn event(letter: &Letter<'_>, notice: &Notice, line: &Line) -> Value {
    let dedup_key = dedup_key(&notice.alert.key);
    if notice.event == Event::Cleared {
        return json!({ "event_action": "resolve", "dedup_key": dedup_key });
    }
    let page = line.runbook.as_ref().and_then(|link| Url::parse(link).ok());
    let page = page.filter(|url| matches!(url.scheme(), "http" | "https"));
    let links: Vec<_> = page.iter().map(|url| json!({ "href": url.as_str(), "text": "runbook" })).collect();
    let make = |size: Size| {
        json!({
            "event_action": "trigger", "dedup_key": dedup_key, "client": "msgrecon", "links": links,
            "payload": payload(letter, notice, line, size),
        })
    };
    Size::fit(make, |made| made.to_string().len() <= BYTES_MAX)
}

fn payload(letter: &Letter<'_>, notice: &Notice, line: &Line, size: Size) -> Value {
    let severity = match notice.alert.level {
        Verdict::Fail => "critical",
        Verdict::Warn => "warning",
        Verdict::Pass => "info",
    };
    json!({
        "summary": clip(&line.text, SUMMARY_MAX, char::len_utf16),
        "source": line.flow,
        "severity": severity,
        "timestamp": letter.digest.as_of,
        "component": line.consumer.as_ref().unwrap_or(&line.flow),
        "group": line.flow,
        "class": line.metric,
        "custom_details": details(letter, notice, line, size),
    })
}

fn details(letter: &Letter<'_>, notice: &Notice, line: &Line, size: Size) -> Value {
    let brief = &letter.brief;
    let of_metric = brief.top.groups.iter().find(|group| group.kind.name() == notice.alert.key.metric);
    let listed = of_metric.into_iter().flat_map(|group| &group.listed);
    let of_alert = listed.filter(|one| one.flow == line.flow && one.consumer == line.consumer);
    let ids: Vec<_> = of_alert.take(size.differences).map(|one| size.clip(&one.id)).collect();
    json!({
        "value": line.value, "bound": line.bound, "since": line.since, "fresh": line.fresh,
        "remedy": line.remedy, "numbers": size.clip(&brief.headline), "judged": brief.span,
        "some_ids": ids, "run": brief.run, "report": brief.report, "rerun": brief.rerun,
    })
}

#[expect(clippy::unnecessary_wraps, reason = "every service has the same form")]
fn post(letter: &Letter<'_>, body: &Value, _: Micros) -> Result<Post, NotDelivered> {
    let mut body = body.clone();
    body["routing_key"] = json!(letter.keys.token.as_ref().map_or("", |token| token.expose_secret()));
    Ok(Post::json(body.to_string().into_bytes()))
}
