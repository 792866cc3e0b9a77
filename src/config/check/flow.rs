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

const KEYS: [&str; 10] = [
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
];

/// All flows, in the order of the file.
pub(super) fn flows(root: &Section<'_>, scope: &Scope<'_>) -> Vec<Flow> {
    let sections = sections(root, "flows", &KEYS);
    unique_names(&sections);
    sections.iter().filter_map(|section| flow(section, scope)).collect()
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
        name: name?,
        events: events?,
        consumers,
    })
}

fn window(item: &Item<'_>) -> Option<i64> {
    let window = value::duration(item)?;
    if window > WINDOW_MAX { item.problem("a window is at most a day long (1d)") } else { Some(window) }
}
