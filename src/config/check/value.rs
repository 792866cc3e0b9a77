//! Values that occur in many places.

use crate::config::hint;
use crate::config::tree::{Item, Section};
use crate::config::{Expression, IdColumn, IdEncoding, JOBS_MAX, TimeColumn, TimeFormat, Wanted};
use crate::model::memory;
use chrono::format::{Item as PatternItem, StrftimeItems};
use chrono_tz::Tz;

const ENCODINGS: [(&str, IdEncoding); 6] = [
    ("text", IdEncoding::Text),
    ("integer", IdEncoding::Integer),
    ("uuid", IdEncoding::Uuid),
    ("uuid-bytes", IdEncoding::UuidBytes),
    ("uuid-bytes-swapped", IdEncoding::UuidBytesSwapped),
    ("uuid-bytes-le", IdEncoding::UuidBytesLe),
];

const FORMATS: [(&str, TimeFormat); 5] = [
    ("native", TimeFormat::Native),
    ("epoch-s", TimeFormat::EpochSeconds),
    ("epoch-ms", TimeFormat::EpochMillis),
    ("epoch-us", TimeFormat::EpochMicros),
    ("iso8601", TimeFormat::Iso8601),
];

const STRATEGIES: [Wanted; 4] = [Wanted::Auto, Wanted::Stream, Wanted::Packed, Wanted::Sketch];

/// How to read.
pub(super) fn strategy(item: &Item<'_>) -> Option<Wanted> {
    choice(item, "strategy", &STRATEGIES.map(|wanted| (wanted.name(), wanted)))
}

/// An IANA time zone.
pub(super) fn zone(item: &Item<'_>) -> Option<Tz> {
    let name = item.text()?;
    name.parse().ok().or_else(|| {
        let meant = match hint::nearest_zone(name) {
            Some(meant) => format!(", did you mean {meant}"),
            None => "; give an IANA name such as Asia/Shanghai or UTC".to_owned(),
        };
        item.problem(format!("unknown time zone {}{meant}", item.quoted()))
    })
}

/// A span of time in microseconds.
pub(super) fn duration(item: &Item<'_>) -> Option<i64> {
    if item.is_number() {
        return item.problem(r#"needs a unit: write it as a string such as "15m""#);
    }
    let text = item.text()?;
    let needs_unit = !text.is_empty() && text.chars().all(|c| c.is_ascii_digit());
    match humantime::parse_duration(text) {
        Err(_) if needs_unit => item.problem(r#"needs a unit, such as in "15m""#),
        Err(_) => item.problem(format!(r#"{} is no duration; write "15m", "1h 30m" or "7d""#, item.quoted())),
        Ok(duration) => match i64::try_from(duration.as_micros()) {
            Ok(0) => item.problem("must be longer than 0"),
            Ok(micros) => Some(micros),
            Err(_) => item.problem("is too long"),
        },
    }
}

/// How many flows are read side by side.
pub(super) fn jobs(item: &Item<'_>) -> Option<usize> {
    match usize::try_from(item.count()?) {
        Ok(jobs) if (1..=JOBS_MAX).contains(&jobs) => Some(jobs),
        _ => item.problem(format!("must be from 1 to {JOBS_MAX}")),
    }
}

/// An amount of memory, in bytes.
pub(super) fn memory(item: &Item<'_>) -> Option<u64> {
    match memory::parse(item.text()?) {
        Some(bytes) if bytes >= memory::LEAST => Some(bytes),
        Some(_) => item.problem("at least 64MiB: less does not hold the program and its connections"),
        None => {
            item.problem(format!(r#"{} is no amount of memory; write "256MiB" or "1GiB""#, item.quoted()))
        }
    }
}

/// One word of a few.
pub(super) fn choice<T: Clone>(item: &Item<'_>, what: &str, known: &[(&str, T)]) -> Option<T> {
    let word = item.text()?;
    if let Some((_, chosen)) = known.iter().find(|(name, _)| *name == word) {
        return Some(chosen.clone());
    }
    let names: Vec<_> = known.iter().map(|(name, _)| *name).collect();
    item.problem(hint::unknown(what, item.quoted(), word, &names))
}

/// Some texts, none of them empty.
pub(super) fn texts(item: &Item<'_>) -> Option<Vec<String>> {
    Some(item.items()?.iter().filter_map(Item::filled_text).collect())
}

/// A name in the file for a database in the file.
pub(super) fn database(item: &Item<'_>, known: &[&str]) -> Option<String> {
    let name = item.text()?;
    if known.contains(&name) {
        return Some(name.to_owned());
    }
    item.problem(hint::unknown("database", item.quoted(), name, known))
}

/// A column, or a table with a column or an expression, and an encoding; without one it is `default`.
pub(super) fn id(item: &Item<'_>, default: IdEncoding) -> Option<IdColumn> {
    if item.is_text() {
        return Some(IdColumn { expression: Expression::Column(item.filled_text()?), encoding: default });
    }
    let section = column_section(item, &["column", "sql", "encoding"])?;
    let encoding = section.get("encoding", |item| choice(item, "encoding", &ENCODINGS));
    Some(IdColumn { expression: expression(&section)?, encoding: encoding.unwrap_or(default) })
}

/// A column, or a table with a column or an expression, a format and a zone.
pub(super) fn time(item: &Item<'_>) -> Option<TimeColumn> {
    if item.is_text() {
        let expression = Expression::Column(item.filled_text()?);
        return Some(TimeColumn { expression, format: TimeFormat::Native, time_zone: None });
    }
    let section = column_section(item, &["column", "sql", "format", "time_zone"])?;
    let format = section.get("format", format).unwrap_or_default();
    let time_zone = section.get("time_zone", zone);
    Some(TimeColumn { expression: expression(&section)?, format, time_zone })
}

fn column_section<'t>(item: &Item<'t>, known: &[&str]) -> Option<Section<'t>> {
    if item.is_table() { item.section(known) } else { item.expected("a column's name or a table") }
}

fn expression(section: &Section<'_>) -> Option<Expression> {
    if section.item("column").or_else(|| section.item("sql")).is_none() {
        return section.missing("column", "is missing; give `column` or `sql`");
    }
    let text = section.either("column", "sql")?.filled_text()?;
    let is_column = section.item("column").is_some();
    Some(if is_column { Expression::Column(text) } else { Expression::Sql(text) })
}

fn format(item: &Item<'_>) -> Option<TimeFormat> {
    match item.text()? {
        pattern if !pattern.contains('%') => choice(item, "format", &FORMATS),
        pattern if StrftimeItems::new(pattern).any(|part| part == PatternItem::Error) => {
            item.problem(format!("{} is no valid pattern of date and time", item.quoted()))
        }
        pattern => Some(TimeFormat::Pattern(pattern.to_owned())),
    }
}
