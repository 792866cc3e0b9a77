//! Times and spans as a person reads them.

use super::Told;
use crate::model::window::local_midnight;
use crate::model::{Micros, Span};
use crate::report::facts::judged::{chosen, stretches, windows};
use crate::report::text::{grouped, local};
use chrono::{DateTime, Days};
use chrono_tz::Tz;

/// An instant: local time with its offset.
pub(super) fn at(at: Micros, told: &Told<'_>) -> String {
    local(at, told.run.time_zone)
}

/// The span and its zone; windows with gaps between them are said to be so.
pub(super) fn span(told: &Told<'_>) -> String {
    let (short, zone) = (short(told), told.run.time_zone.name());
    let gaps = told.run.scheduled && told.run.flows.iter().any(|flow| stretches(&windows(flow)) > 1);
    match chosen(told.run) {
        Some(0) => told.language.fill("{0}, {1}", &[&short, zone]),
        Some(count) if gaps => told
            .language
            .fill("{0}, {1}; {2} windows with gaps between them", &[&short, zone, &counted(count)]),
        _ => told.language.fill("{0}, {1}", &[&short, zone]),
    }
}

fn counted(count: usize) -> String {
    grouped(i64::try_from(count).unwrap_or(i64::MAX))
}

/// `2026-01-01 00:00 until 24:00 +08:00`; both offsets where they differ.
pub(super) fn short(told: &Told<'_>) -> String {
    let Span { from, until } = told.digest.span;
    if told.digest.span.is_empty() {
        return told.language.fill("nothing was due at {0}", &[&at(until, told)]);
    }
    let zone = told.run.time_zone;
    let [begin, end] = [from, until].map(|at| at.to_utc().with_timezone(&zone));
    let offset = |at: &DateTime<Tz>| at.format("%:z").to_string();
    let (date, begin_offset, end_offset) =
        (begin.format("%Y-%m-%d").to_string(), offset(&begin), offset(&end));
    let mut start = format!("{date} {}", clock(&begin));
    if begin_offset != end_offset {
        start = format!("{start} {begin_offset}");
    }
    let end = format!("{} {end_offset}", end_of(&begin, &end, until, zone));
    told.language.fill("{0} until {1}", &[&start, &end])
}

/// The end without its date where it lies in the same day, or ends it.
fn end_of(begin: &DateTime<Tz>, end: &DateTime<Tz>, until: Micros, zone: Tz) -> String {
    let day = begin.date_naive();
    let midnight = day.checked_add_days(Days::new(1)).map(|next| local_midnight(next, zone));
    if midnight == Some(until) {
        "24:00".to_owned()
    } else if end.date_naive() == day {
        clock(end)
    } else {
        format!("{} {}", end.format("%Y-%m-%d"), clock(end))
    }
}

fn clock(at: &DateTime<Tz>) -> String {
    let seconds = at.timestamp_micros().rem_euclid(60_000_000) != 0;
    at.format(if seconds { "%H:%M:%S" } else { "%H:%M" }).to_string()
}
