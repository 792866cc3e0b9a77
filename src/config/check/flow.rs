//! `[[flows]]`.

use super::{Scope, consumer, events, instant, sections, threshold, unique_names, value};
use crate::config::Flow;
use crate::config::tree::{Item, Section};
use crate::model::time::{DAY, HOUR, MINUTE};

const WINDOW: i64 = HOUR;
/// Windows are cut from local days.
const WINDOW_MAX: i64 = DAY;
const GRACE: i64 = 15 * MINUTE;
const STUCK_AFTER: i64 = 10 * MINUTE;
const RECHECK: i64 = DAY;

const KEYS: [&str; 13] = [
    "name",
    "window",
    "grace",
    "late_after",
    "stuck_after",
    "recheck",
    "start",
    "events",
    "consumers",
    "thresholds",
    "owner",
    "runbook",
    "strategy",
];

/// All flows, in the order of the file.
pub(super) fn flows(root: &Section<'_>, scope: &Scope<'_>) -> Vec<Flow> {
    let common = root.get("thresholds", threshold::thresholds).unwrap_or_default();
    let sections = sections(root, "flows", &KEYS);
    unique_names(&sections);
    let flows = sections.iter().filter_map(|section| flow(section, scope));
    // What a flow sets itself goes before what is set for all.
    let with_common = |mut flow: Flow| {
        let own = std::mem::replace(&mut flow.thresholds, common.clone());
        flow.thresholds.extend(own);
        flow
    };
    flows.map(with_common).collect()
}

fn flow(section: &Section<'_>, scope: &Scope<'_>) -> Option<Flow> {
    let name = section.need("name", super::name);
    let events = section.need("events", |item| events::events(item, scope));
    let consumers = consumer::consumers(section, scope);
    Some(Flow {
        window: section.get("window", window).unwrap_or(WINDOW),
        grace: section.get("grace", value::duration).unwrap_or(GRACE),
        late_after: section.get("late_after", value::duration),
        stuck_after: section.get("stuck_after", value::duration).unwrap_or(STUCK_AFTER),
        recheck: section.get("recheck", value::duration).unwrap_or(RECHECK),
        start: section.get("start", |item| instant::instant(item, scope.zone)),
        thresholds: section.get("thresholds", threshold::thresholds).unwrap_or_default(),
        owner: section.get("owner", super::name),
        runbook: section.get("runbook", link),
        strategy: section.get("strategy", value::strategy),
        name: name?,
        events: events?,
        consumers,
    })
}

/// A link that a mail reader can follow.
fn link(item: &Item<'_>) -> Option<String> {
    let text = item.filled_text()?;
    let is_link = url::Url::parse(&text).is_ok_and(|url| matches!(url.scheme(), "http" | "https"));
    if is_link { Some(text) } else { item.problem("must be a link that begins with https:// or http://") }
}

fn window(item: &Item<'_>) -> Option<i64> {
    let window = value::duration(item)?;
    if window > WINDOW_MAX { item.problem("a window is at most a day long (1d)") } else { Some(window) }
}
