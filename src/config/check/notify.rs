//! Whom to tell: `[alerts]`, `[mail]`, `[[channels]]`, `[[silences]]`, `[[heartbeats]]`, `[metrics]`, `[hooks]`.
//!
//! Secrets are not read here: a webhook that is not there costs its delivery and no reconciliation.

mod channel;
mod mail;
mod smtp;

use super::{Files, instant, value};
use crate::config::hint;
use crate::config::notify::{
    Heartbeat, HeartbeatKind, Hooks, Metrics, Notify, Pushgateway, Route, Secret, Silence, When,
};
use crate::config::tree::{Item, Section};
use crate::config::{Flow, threshold_metrics};
use crate::model::Verdict;
use crate::model::time::{HOUR, SECOND};
use chrono_tz::Tz;
use std::path::PathBuf;

/// Unless `[alerts] remind` says otherwise.
const REMIND: i64 = 6 * HOUR;

const WHEN: [(&str, When); 3] =
    [("on_problem", When::OnProblem), ("on_change", When::OnChange), ("always", When::Always)];

const LEVELS: [(&str, Verdict); 2] = [("warn", Verdict::Warn), ("fail", Verdict::Fail)];

const HEARTBEATS: [(&str, HeartbeatKind); 2] =
    [("healthchecks", HeartbeatKind::Healthchecks), ("sentry", HeartbeatKind::Sentry)];

/// What is named elsewhere in the file, and where its paths begin.
struct Named<'a> {
    flows: Vec<&'a str>,
    owners: Vec<&'a str>,
    consumers: Vec<&'a str>,
    files: &'a Files<'a>,
    zone: Tz,
}

/// The keys of the file that this module reads.
pub(super) const KEYS: [&str; 7] =
    ["alerts", "mail", "channels", "silences", "heartbeats", "metrics", "hooks"];

/// All of it.
pub(super) fn notify(root: &Section<'_>, flows: &[Flow], files: &Files<'_>, zone: Tz) -> Notify {
    let named = Named {
        flows: flows.iter().map(|flow| flow.name.as_str()).collect(),
        owners: flows.iter().filter_map(|flow| flow.owner.as_deref()).collect(),
        consumers: flows.iter().flat_map(|flow| &flow.consumers).map(|one| one.name.as_str()).collect(),
        files,
        zone,
    };
    let sections = |key| root.get(key, Item::items).unwrap_or_default();
    Notify {
        remind: root.get("alerts", remind).unwrap_or(REMIND),
        mail: root.get("mail", |item| mail::mail(item, &named)),
        channels: channel::channels(&sections("channels"), &named),
        silences: sections("silences").iter().filter_map(|item| silence(item, &named)).collect(),
        heartbeats: sections("heartbeats").iter().filter_map(|item| heartbeat(item, &named)).collect(),
        metrics: root.get("metrics", |item| metrics(item, &named)).unwrap_or_default(),
        hooks: root.get("hooks", hooks).unwrap_or_default(),
    }
}

fn remind(item: &Item<'_>) -> Option<i64> {
    item.section(&["remind"])?.get("remind", value::duration)
}

/// Flows, occasion and level of a target; owners are each section's own matter.
fn route(section: &Section<'_>, named: &Named<'_>) -> Route {
    Route {
        flows: section.get("flows", |item| names(item, "flow", &named.flows)).unwrap_or_default(),
        owners: Vec::new(),
        when: section.get("when", |item| value::choice(item, "value", &WHEN)).unwrap_or_default(),
        level: section.get("level", |item| value::choice(item, "level", &LEVELS)),
    }
}

/// Names that stand elsewhere in the file.
fn names(item: &Item<'_>, what: &str, known: &[&str]) -> Option<Vec<String>> {
    Some(item.items()?.iter().filter_map(|item| name_of(item, what, known)).collect())
}

fn name_of(item: &Item<'_>, what: &str, known: &[&str]) -> Option<String> {
    let name = item.filled_text()?;
    if known.contains(&name.as_str()) {
        return Some(name);
    }
    item.problem(hint::unknown(what, item.quoted(), &name, known))
}

/// One text, or some.
fn one_or_more(item: &Item<'_>) -> Option<Vec<String>> {
    if item.is_text() { Some(vec![item.filled_text()?]) } else { value::texts(item) }
}

/// A secret under `key`, or the file under `key_file` that holds it.
fn secret(section: &Section<'_>, key: &str, named: &Named<'_>) -> Option<Secret> {
    let file = format!("{key}_file");
    section.item(key).or_else(|| section.item(&file))?;
    let item = section.either(key, &file)?;
    let text = item.filled_text()?;
    match section.item(key) {
        Some(_) => Some(Secret::Text(text.into())),
        // Not repeated: it may be the secret itself.
        None if text.contains("://") => item
            .problem(format!("is the path of a file that holds the {key}; the {key} itself goes to `{key}`")),
        None => Some(Secret::File(named.files.folder.join(text))),
    }
}

fn path(item: &Item<'_>, named: &Named<'_>) -> Option<PathBuf> {
    Some(named.files.folder.join(item.filled_text()?))
}

fn silence(item: &Item<'_>, named: &Named<'_>) -> Option<Silence> {
    let section = item.section(&["flow", "consumer", "metric", "from", "until", "reason"])?;
    let flow = section.get("flow", |item| name_of(item, "flow", &named.flows));
    let consumer = section.get("consumer", |item| name_of(item, "consumer", &named.consumers));
    let metric = section.get("metric", |item| name_of(item, "metric", &threshold_metrics()));
    let from = section.get("from", |item| instant::instant(item, named.zone));
    let until = section.need("until", |item| instant::instant(item, named.zone));
    let reason = section.need("reason", Item::filled_text);
    if from.zip(until).is_some_and(|(from, until)| until <= from) {
        section.get("until", |item| item.problem::<()>("must be after `from`"));
    }
    Some(Silence { flow, consumer, metric, from, until: until?, reason: reason? })
}

fn heartbeat(item: &Item<'_>, named: &Named<'_>) -> Option<Heartbeat> {
    let section = item.section(&["kind", "url", "url_file", "environment", "allow_http", "timeout"])?;
    let kind = section.get("kind", |item| value::choice(item, "kind", &HEARTBEATS));
    let url = url(&section, named);
    Some(Heartbeat {
        kind: kind.unwrap_or(HeartbeatKind::Healthchecks),
        environment: section.get("environment", Item::filled_text),
        allow_http: section.get("allow_http", Item::truth).unwrap_or(false),
        timeout: section.get("timeout", value::duration).unwrap_or(10 * SECOND),
        url: url?,
    })
}

/// A `url` or `url_file` that must be there.
fn url(section: &Section<'_>, named: &Named<'_>) -> Option<Secret> {
    if section.item("url").or_else(|| section.item("url_file")).is_none() {
        return section.missing("url", "is missing; give `url` or `url_file`");
    }
    secret(section, "url", named)
}

fn metrics(item: &Item<'_>, named: &Named<'_>) -> Option<Metrics> {
    let section = item.section(&["textfile", "pushgateway", "pushgateway_file", "job", "timeout"])?;
    let textfile = section.get("textfile", |item| match path(item, named)? {
        path if path.extension().is_some_and(|end| end == "prom") => Some(path),
        _ => item.problem("must end in .prom: the textfile collector reads no other files"),
    });
    let job = section.get("job", Item::filled_text).unwrap_or_else(|| "msgrecon".to_owned());
    let timeout = section.get("timeout", value::duration).unwrap_or(10 * SECOND);
    let pushgateway = secret(&section, "pushgateway", named).map(|url| Pushgateway { url, job, timeout });
    Some(Metrics { textfile, pushgateway })
}

fn hooks(item: &Item<'_>) -> Option<Hooks> {
    let names = ["before", "after", "on_differences", "on_incomplete", "on_error", "timeout"];
    let section = item.section(&names)?;
    let of = |name| section.get(name, commands).unwrap_or_default();
    Some(Hooks {
        before: of("before"),
        after: of("after"),
        on_differences: of("on_differences"),
        on_incomplete: of("on_incomplete"),
        on_error: of("on_error"),
        timeout: section.get("timeout", value::duration).unwrap_or(60 * SECOND),
    })
}

/// One command or some: each a program's name, or an array of it and its arguments.
fn commands(item: &Item<'_>) -> Option<Vec<Vec<String>>> {
    if item.is_text() {
        return Some(vec![vec![item.filled_text()?]]);
    }
    let items = item.items()?;
    if items.iter().all(Item::is_text) {
        return command(item).map(|one| vec![one]);
    }
    Some(items.iter().filter_map(command).collect())
}

/// A program and its arguments.
fn command(item: &Item<'_>) -> Option<Vec<String>> {
    let words = one_or_more(item)?;
    if words.is_empty() {
        item.problem("is empty; it takes a program and its arguments")
    } else {
        Some(words)
    }
}
