//! Instants: RFC 3339, or a date that means its first instant in a zone.

use crate::config::tree::Item;
use crate::model::Micros;
use chrono::{DateTime, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
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
        Some(date) => local_midnight(date, zone),
        None => DateTime::parse_from_rfc3339(&text).ok().map(|at| at.to_utc()),
    };
    match at {
        Some(at) => Some(at.into()),
        None if is_zoneless(&text) => item.problem("needs an offset from UTC, such as Z or +08:00"),
        None => item.problem(format!("{} is neither a date nor an RFC 3339 time", item.quoted())),
    }
}

fn is_zoneless(text: &str) -> bool {
    let patterns = ["%Y-%m-%dT%H:%M:%S%.f", "%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%dT%H:%M", "%Y-%m-%d %H:%M"];
    patterns.iter().any(|pattern| NaiveDateTime::parse_from_str(text, pattern).is_ok())
}

/// The first instant of a local day. Where clocks skip midnight the day begins after the gap, where midnight comes
/// twice at the first one.
fn local_midnight(date: NaiveDate, zone: Tz) -> Option<DateTime<Utc>> {
    let midnight = date.and_time(NaiveTime::MIN);
    let found = zone.from_local_datetime(&midnight).earliest();
    found.map(|at| at.to_utc()).or_else(|| after_gap(midnight, zone))
}

/// The instant at which the clocks of `zone` leap over `skipped`. No gap is longer than a day, no offset either, so
/// it lies within two days, and bisection finds it.
fn after_gap(skipped: NaiveDateTime, zone: Tz) -> Option<DateTime<Utc>> {
    let is_after = |at: NaiveDateTime| zone.from_utc_datetime(&at).naive_local() >= skipped;
    let mut before = skipped.checked_sub_signed(TimeDelta::days(2))?;
    let mut after = skipped.checked_add_signed(TimeDelta::days(2))?;
    while after - before > TimeDelta::seconds(1) {
        let middle = before + TimeDelta::seconds((after - before).num_seconds() / 2);
        if is_after(middle) { after = middle } else { before = middle }
    }
    Some(after.and_utc())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_day_begins_at_its_first_instant() {
        let cases = [
            ("2026-01-01", Tz::Asia__Shanghai, "2025-12-31T16:00:00Z"),
            ("2026-01-01", Tz::UTC, "2026-01-01T00:00:00Z"),
            // Clocks go from 00:00 to 01:00.
            ("2018-11-04", Tz::America__Sao_Paulo, "2018-11-04T03:00:00Z"),
            ("2024-04-26", Tz::Africa__Cairo, "2024-04-25T22:00:00Z"),
            // Clocks go from 01:00 back to 00:00: midnight comes twice.
            ("2023-11-05", Tz::America__Havana, "2023-11-05T04:00:00Z"),
            // Clocks went from 23:30 to 00:30.
            ("1919-03-31", Tz::America__Toronto, "1919-03-31T04:30:00Z"),
            // The whole day was skipped.
            ("2011-12-30", Tz::Pacific__Apia, "2011-12-30T10:00:00Z"),
        ];
        for (date, zone, first) in cases {
            let at = local_midnight(date.parse().unwrap(), zone).unwrap();
            assert_eq!(Micros::from(at).to_rfc3339(), first, "{date} {zone}");
        }
    }
}
