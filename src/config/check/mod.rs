//! From the tree of the file to the checked configuration.
//!
//! Each check gives its value, or reports why there is none and gives nothing. Since one report is enough to refuse the
//! whole file, lists go on without the elements that are wrong, and keys that are wrong may be read as not set.

mod consumer;
mod database;
mod events;
mod flow;
mod instant;
mod notify;
mod pace;
mod preset;
mod table;
mod threshold;
mod url;
mod value;

pub use threshold::metrics as threshold_metrics;

use super::tree::{Item, Section};
use super::{Config, JOBS};
use crate::model::memory;
use chrono_tz::Tz;
use std::collections::BTreeSet;
use std::io;
use std::path::Path;

/// The files that a configuration names.
pub(super) struct Files<'a> {
    /// Where relative paths begin.
    pub(super) folder: &'a Path,
    /// Reads a file with a secret.
    pub(super) read_secret: &'a dyn Fn(&Path) -> io::Result<String>,
}

/// What all flows share.
struct Scope<'t> {
    /// Cuts the days.
    zone: Tz,
    /// The names of the databases, also of those with problems of their own.
    databases: Vec<&'t str>,
}

const KEYS: [&str; 7] = ["time_zone", "max_memory", "jobs", "ledger", "databases", "flows", "thresholds"];

/// The whole file.
pub(super) fn config(root: &Section<'_>, files: &Files<'_>) -> Option<Config> {
    let root = root.clone().only(&[&KEYS[..], &pace::PAUSE_KEYS[..], &notify::KEYS[..]].concat());
    let zone = root.get("time_zone", value::zone).unwrap_or(Tz::UTC);
    let sources =
        root.get("databases", Item::open_section).map(|section| section.entries()).unwrap_or_default();
    let databases = database::databases(&sources, files);
    let ledger = database::ledger(&root, files, &databases);
    let names = sources.iter().map(|(name, _)| *name).collect();
    let flows = flow::flows(&root, &Scope { zone, databases: names });
    let notify = notify::notify(&root, &flows, files, zone);
    let pause = pace::pause(&root, files);
    let max_memory = root.get("max_memory", value::memory).unwrap_or(memory::DEFAULT);
    let jobs = root.get("jobs", value::jobs).unwrap_or(JOBS);
    Some(Config { max_memory, jobs, time_zone: zone, ledger: ledger?, databases, flows, notify, pause })
}

/// Names that must tell the tables of an array apart.
fn unique_names(sections: &[Section<'_>]) {
    let mut seen = BTreeSet::new();
    for item in sections.iter().filter_map(|section| section.item("name")) {
        if item.is_text() && item.text().is_some_and(|name| !seen.insert(name)) {
            item.problem::<()>(format!("the name {} is used twice", item.quoted()));
        }
    }
}

/// The ledger keeps names in its keys, and every server takes so long ones.
const NAME_MAX: usize = 250;

/// A name of a flow or a consumer.
fn name(item: &Item<'_>) -> Option<String> {
    let name = item.filled_text()?;
    let long = name.chars().count() > NAME_MAX;
    if long { item.problem(format!("is longer than {NAME_MAX} characters")) } else { Some(name) }
}

/// The tables of an array of tables that must not be empty.
fn sections<'t>(parent: &Section<'t>, key: &str, known: &[&str]) -> Vec<Section<'t>> {
    let Some(item) = parent.item(key) else {
        parent.missing::<()>(key, "is missing; at least one is needed");
        return Vec::new();
    };
    let items = item.items();
    if items.as_ref().is_some_and(Vec::is_empty) {
        item.problem::<()>("is empty; at least one is needed");
    }
    items.unwrap_or_default().iter().filter_map(|item| item.section(known)).collect()
}
