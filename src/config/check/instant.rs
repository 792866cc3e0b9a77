//! Instants: RFC 3339, or a date that means its first instant in a zone.

use crate::config::tree::Item;
use crate::model::Micros;
use crate::model::window::local_midnight;
use chrono::{DateTime, NaiveDate, NaiveDateTime};
use chrono_tz::Tz;
use toml::de::DeValue;

/// `2026-01-01T00:00:00+08:00`, quoted or not, or `2026-01-01`: that day's first instant in `zone`.
pub(super) fn instant(item: &Item<'_>, zone: Tz) -> Option<Micros> {
    let text = match item.value {
        DeValue::Datetime(at) => at.to_string(),
        _ => item.text()?.to_owned(),
    };
    let date = NaiveDate::parse_from_str(&text, "%Y-%m-%d").ok().filter(|_| text.len() == "2026-01-01".len());
    let at = match date {
        Some(date) => Some(local_midnight(date, zone)),
        None => DateTime::parse_from_rfc3339(&text).ok().map(|at| at.to_utc().into()),
    };
    match at {
        Some(at) => Some(at),
        None if is_zoneless(&text) => item.problem("needs an offset from UTC, such as Z or +08:00"),
        None => item.problem(format!("{} is neither a date nor an RFC 3339 time", item.quoted())),
    }
}

fn is_zoneless(text: &str) -> bool {
    let patterns = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    patterns.iter().any(|pattern| NaiveDateTime::parse_from_str(text, pattern).is_ok())
}
