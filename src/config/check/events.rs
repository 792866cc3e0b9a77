//! `[flows.events]`: the producer's side.

use super::{Scope, preset, table, value};
use crate::config::tree::{Item, Section};
use crate::config::{AfterAck, Events, IdEncoding, StateRule};

const KEYS: [&str; 14] = [
    "preset",
    "database",
    "table",
    "tables",
    "where",
    "id",
    "created_at",
    "acked_at",
    "acked",
    "pending",
    "failed",
    "attempts",
    "after_ack",
    "allow_full_scan",
];

const RULES: [(&str, StateRule); 3] =
    [("acked", StateRule::Acked), ("pending", StateRule::Pending), ("failed", StateRule::Failed)];

const AFTER_ACK: [(&str, AfterAck); 2] = [("keep", AfterAck::Keep), ("delete", AfterAck::Delete)];

/// The event table.
pub(super) fn events(item: &Item<'_>, scope: &Scope<'_>) -> Option<Events> {
    let section = item.section(&KEYS)?;
    preset::check(&section);
    let database = section.need("database", |item| value::database(item, &scope.databases));
    let tables = table::tables(&section);
    let filter = section.get("where", Item::filled_text);
    let id = section.need("id", |item| value::id(item, IdEncoding::default()));
    let (created_at, acked_at) =
        (section.get("created_at", value::time), section.get("acked_at", value::time));
    needs_a_time(&section);
    let states = states(&section);
    let attempts = section.get("attempts", Item::filled_text);
    let after_ack = section.get("after_ack", |item| value::choice(item, "value", &AFTER_ACK));
    Some(Events {
        database: database?,
        tables: tables?,
        filter,
        id: id?,
        created_at,
        acked_at,
        states,
        attempts,
        after_ack: after_ack.unwrap_or(AfterAck::Keep),
        allow_full_scan: section.get("allow_full_scan", Item::truth).unwrap_or_default(),
    })
}

/// Without a time an event belongs to no window.
fn needs_a_time(section: &Section<'_>) {
    if section.item("created_at").or_else(|| section.item("acked_at")).is_none() {
        section.missing::<()>("created_at", "is missing; give `created_at`, `acked_at` or both");
    }
}

/// The rules in the order of the file, for the first that fits a row decides.
fn states(section: &Section<'_>) -> Vec<(StateRule, String)> {
    let mut rules: Vec<_> =
        RULES.into_iter().filter_map(|(key, rule)| Some((section.item(key)?, rule))).collect();
    rules.sort_by_key(|(item, _)| item.span.start);
    rules.into_iter().filter_map(|(item, rule)| Some((rule, item.filled_text()?))).collect()
}
