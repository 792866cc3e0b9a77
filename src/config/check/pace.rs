//! How gently a database is read: the keys of `[databases.…]` for it, and the file that holds a run up.

use super::{Files, value};
use crate::config::tree::{Item, Section};
use crate::config::{Dialect, Guard, Pace, Pause};

/// In `[databases.…]`.
pub(super) const KEYS: [&str; 5] =
    ["max_rows_per_second", "slice_time", "full_scan_rows", "allow_full_scan", "guard"];
/// At the top of the file.
pub(super) const PAUSE_KEYS: [&str; 2] = ["pause_file", "pause_max"];

const GUARD_KEYS: [&str; 6] = ["max_running", "running", "max_lag", "lag", "every", "wait"];

/// A run at less would never end.
const RATE_MIN: u64 = 10;

/// A database's pace.
pub(super) fn pace(section: &Section<'_>, dialect: Option<Dialect>) -> Pace {
    let default = Pace::default();
    Pace {
        max_rows_per_second: section.get("max_rows_per_second", rate),
        slice_time: section.get("slice_time", value::duration).unwrap_or(default.slice_time),
        full_scan_rows: section.get("full_scan_rows", Item::count).unwrap_or(default.full_scan_rows),
        allow_full_scan: section.get("allow_full_scan", Item::truth).unwrap_or_default(),
        guard: section.get("guard", |item| guard(item, dialect)),
    }
}

fn rate(item: &Item<'_>) -> Option<u32> {
    match u32::try_from(item.count()?) {
        Ok(rate) if u64::from(rate) >= RATE_MIN => Some(rate),
        _ => item.problem(format!("must be from {RATE_MIN} to {}", u32::MAX)),
    }
}

fn guard(item: &Item<'_>, dialect: Option<Dialect>) -> Option<Guard> {
    let section = item.section(&GUARD_KEYS)?;
    let guard = Guard {
        max_running: section.get("max_running", Item::count),
        running: section.get("running", Item::filled_text),
        max_lag: section.get("max_lag", value::duration),
        lag: section.get("lag", Item::filled_text),
        every: section.get("every", value::duration).unwrap_or(Guard::EVERY),
        wait: section.get("wait", value::duration).unwrap_or(Guard::WAIT),
    };
    if section.item("max_running").or_else(|| section.item("max_lag")).is_none() {
        return item.problem("sets neither `max_running` nor `max_lag`");
    }
    for (bound, query) in [("max_running", "running"), ("max_lag", "lag")] {
        match (section.item(bound), section.item(query)) {
            (None, Some(query)) => query.problem::<()>(format!("is asked for nothing without `{bound}`")),
            (Some(bound), None) if dialect == Some(Dialect::Sqlite) => bound.problem(format!(
                "is not for SQLite, which says nothing of it; give a query of your own as `{query}`"
            )),
            _ => None,
        };
    }
    Some(guard)
}

/// What holds a run up.
pub(super) fn pause(root: &Section<'_>, files: &Files<'_>) -> Pause {
    let file = root.get("pause_file", Item::filled_text).map(|path| files.folder.join(path));
    let longest = root.get("pause_max", value::duration).unwrap_or(Pause::default().longest);
    Pause { file, longest }
}
