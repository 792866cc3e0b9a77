//! `preset = "…"`: the keys of a known framework.

use crate::config::hint;
use crate::config::tree::{Item, Section};

/// The names of the presets.
const KNOWN: [&str; 0] = [];

/// The keys that a preset sets, as TOML.
fn preset(_name: &str) -> Option<&'static str> {
    None
}

/// Reports a preset that nobody knows.
pub(super) fn check(section: &Section<'_>) {
    section.get("preset", named);
}

fn named(item: &Item<'_>) -> Option<&'static str> {
    let name = item.text()?;
    preset(name).or_else(|| item.problem(hint::unknown("preset", item.quoted(), name, &KNOWN)))
}
