//! `[[flows.consumers]]`: the consumers' side.

use super::{Scope, instant, preset, sections, table, threshold, unique_names, value};
use crate::config::tree::{Item, Section};
use crate::config::{Consumer, DeadLetters, IdEncoding};
use crate::model::Micros;

/// A flow has at the most this many consumers.
const CONSUMERS_MAX: usize = 64;

const KEYS: [&str; 18] = [
    "preset",
    "name",
    "database",
    "table",
    "tables",
    "where",
    "consumer",
    "id",
    "consumed_at",
    "retention",
    "aliases",
    "original_id",
    "since",
    "until",
    "expects",
    "dead_letters",
    "thresholds",
    "allow_full_scan",
];

const DEAD_LETTER_KEYS: [&str; 8] =
    ["database", "table", "where", "id", "dead_at", "closed", "reason", "allow_full_scan"];

/// The consumers of a flow.
pub(super) fn consumers(flow: &Section<'_>, scope: &Scope<'_>) -> Vec<Consumer> {
    let sections = sections(flow, "consumers", &KEYS);
    unique_names(&sections);
    if sections.len() > CONSUMERS_MAX {
        flow.get("consumers", |item| item.problem::<()>(format!("are more than {CONSUMERS_MAX}")));
    }
    let consumers: Vec<_> =
        sections.iter().filter_map(|section| Some((section, consumer(section, scope)?))).collect();
    for (place, (section, one)) in consumers.iter().enumerate() {
        let shared = consumers[..place].iter().find(|(_, other)| indistinct(one, other));
        if let Some((_, other)) = shared {
            same_rows(section, &other.name);
        }
    }
    consumers.into_iter().map(|(_, consumer)| consumer).collect()
}

/// Whether two consumers would take the same rows for their own receipts.
fn indistinct(one: &Consumer, other: &Consumer) -> bool {
    let unmarked = |consumer: &Consumer| consumer.consumer_column.is_none() && consumer.filter.is_none();
    one.database == other.database
        && one.tables.iter().any(|table| other.tables.contains(table))
        && (unmarked(one) || unmarked(other))
}

fn same_rows(section: &Section<'_>, other: &str) {
    let message = format!(
        "is the table of consumer `{other}` too: set `consumer` (the column that names the consumer) or `where` at both"
    );
    for key in ["table", "tables"] {
        section.get(key, |item| item.problem::<()>(message.clone()));
    }
}

fn consumer(section: &Section<'_>, scope: &Scope<'_>) -> Option<Consumer> {
    preset::check(section);
    let name = section.need("name", super::name);
    let database = section.need("database", |item| value::database(item, &scope.databases));
    let tables = table::tables(section);
    let id = section.need("id", |item| value::id(item, IdEncoding::default()));
    // A message keeps its kind of id when it is sent again.
    let encoding = id.as_ref().map(|id| id.encoding).unwrap_or_default();
    let original_id = section.get("original_id", |item| value::id(item, encoding));
    let (since, until) = lifetime(section, scope);
    let dead_letters = section.get("dead_letters", |item| dead_letters(item, database.as_deref(), scope));
    Some(Consumer {
        consumer_column: section.get("consumer", Item::filled_text),
        filter: section.get("where", Item::filled_text),
        consumed_at: section.get("consumed_at", value::time),
        retention: section.get("retention", value::duration),
        aliases: aliases(section),
        expects: section.get("expects", Item::filled_text),
        thresholds: section.get("thresholds", threshold::thresholds).unwrap_or_default(),
        allow_full_scan: section.get("allow_full_scan", Item::truth).unwrap_or_default(),
        name: name?,
        database: database?,
        tables: tables?,
        id: id?,
        original_id,
        since,
        until,
        dead_letters,
    })
}

fn lifetime(section: &Section<'_>, scope: &Scope<'_>) -> (Option<Micros>, Option<Micros>) {
    let since = section.get("since", |item| instant::instant(item, scope.zone));
    let until = section.get("until", |item| instant::instant(item, scope.zone));
    if since.zip(until).is_some_and(|(since, until)| since >= until) {
        section.get("until", |item| item.problem::<()>("must be later than `since`"));
    }
    (since, until)
}

fn aliases(section: &Section<'_>) -> Vec<String> {
    let aliases = section.get("aliases", value::texts).unwrap_or_default();
    if section.item("aliases").is_some() && section.item("consumer").is_none() {
        section
            .get("aliases", |item| item.problem::<()>("need `consumer`, the column that names the consumer"));
    }
    aliases
}

fn dead_letters(item: &Item<'_>, consumers: Option<&str>, scope: &Scope<'_>) -> Option<DeadLetters> {
    let section = item.section(&DEAD_LETTER_KEYS)?;
    let database = match section.item("database") {
        Some(item) => value::database(&item, &scope.databases),
        None => consumers.map(str::to_owned),
    };
    let table = section.need("table", table::table);
    let id = section.need("id", |item| value::id(item, IdEncoding::default()));
    let filter = section.get("where", Item::filled_text);
    let dead_at = section.get("dead_at", value::time);
    let closed = section.get("closed", Item::filled_text);
    let reason = section.get("reason", Item::filled_text);
    let allow_full_scan = section.get("allow_full_scan", Item::truth).unwrap_or_default();
    Some(DeadLetters {
        database: database?,
        table: table?,
        filter,
        id: id?,
        dead_at,
        closed,
        reason,
        allow_full_scan,
    })
}
