//! Windows: local days cut into half-open slices of the producer's time.

use super::time::{DAY, Micros, Span};
use chrono::{DateTime, Days, LocalResult, NaiveDate, NaiveDateTime, NaiveTime, TimeDelta, TimeZone, Utc};
use chrono_tz::Tz;

/// A half-open slice of the producer's time.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Window(pub Span);

/// The instant of a local wall-clock time: the earlier one where it comes twice, the first instant after the gap
/// where it does not exist.
#[must_use]
pub fn local_instant(wall: NaiveDateTime, zone: Tz) -> Micros {
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(at) | LocalResult::Ambiguous(at, _) => at.with_timezone(&Utc).into(),
        LocalResult::None => after_gap(wall, zone),
    }
}

/// Gaps are at most a day (a zone that crosses the date line skips one); the first minute that exists ends it.
fn after_gap(wall: NaiveDateTime, zone: Tz) -> Micros {
    let mut minutes = (1..=24 * 60 + 1).map(|minute| wall + TimeDelta::minutes(minute));
    let first = minutes.find_map(|later| zone.from_local_datetime(&later).earliest());
    first.map_or_else(
        || zone.from_utc_datetime(&wall).with_timezone(&Utc).into(),
        |at| {
            // Gaps end on a whole minute; seconds of the asked time must not push past it.
            let whole = at.timestamp().div_euclid(60) * 60;
            Micros(whole * super::time::SECOND)
        },
    )
}

/// The first instant of a local day.
#[must_use]
pub fn local_midnight(date: NaiveDate, zone: Tz) -> Micros {
    local_instant(date.and_time(NaiveTime::MIN), zone)
}

/// The local day `date`: the span between two local midnights (23, 24 or 25 hours, or what the zone makes of it).
#[must_use]
pub fn local_day(date: NaiveDate, zone: Tz) -> Span {
    let next = date.checked_add_days(Days::new(1)).unwrap_or(date);
    Span::new(local_midnight(date, zone), local_midnight(next, zone))
}

/// The local date on which `at` falls.
#[must_use]
pub fn local_date(at: Micros, zone: Tz) -> NaiveDate {
    at.to_utc().with_timezone(&zone).date_naive()
}

/// Cuts `span` into windows of `size` microseconds, each local day from its own midnight on; the last of a day and
/// those at the span's ends may be shorter. A `size` of a day or more means the local day. At most `limit` windows.
#[must_use]
pub fn cut(span: Span, size: i64, zone: Tz, limit: usize) -> Vec<Window> {
    let mut windows = Vec::new();
    let mut date = local_date(span.from, zone);
    while let day = local_day(date, zone)
        && day.from < span.until
        && windows.len() < limit
    {
        let step = if size >= DAY { day.micros() } else { size.max(1) };
        windows.extend(steps(day, step, span).take(limit - windows.len()));
        let Some(next) = date.checked_add_days(Days::new(1)) else { break };
        date = next;
    }
    windows
}

fn steps(day: Span, step: i64, span: Span) -> impl Iterator<Item = Window> {
    let count = (day.micros() + step - 1).checked_div(step).unwrap_or(0);
    (0..count)
        .map(move |n| Span::new(day.from.plus(n * step), day.from.plus((n + 1) * step).min(day.until)))
        .map(move |slice| Span::new(slice.from.max(span.from), slice.until.min(span.until)))
        .filter(|slice| !slice.is_empty())
        .map(Window)
}

/// The whole window that holds `at`, as [`cut`] cuts the local day around it.
#[must_use]
pub fn holding(at: Micros, size: i64, zone: Tz) -> Window {
    let day = local_day(local_date(at, zone), zone);
    if size >= DAY || !day.contains(at) {
        return Window(day);
    }
    let step = size.max(1);
    let from = day.from.plus(at.since(day.from).div_euclid(step) * step);
    Window(Span::new(from, from.plus(step).min(day.until)))
}

/// Finds the window that holds `at` in windows that are in time order and do not overlap.
#[must_use]
pub fn position(windows: &[Window], at: Micros) -> Option<usize> {
    let after = windows.partition_point(|window| window.0.from <= at);
    let place = after.checked_sub(1)?;
    windows[place].0.contains(at).then_some(place)
}

/// `2026-11-01 01:00 -04:00`: the local time with its offset, so that the hour that comes twice has two labels.
#[must_use]
pub fn label(at: Micros, zone: Tz) -> String {
    let local: DateTime<Tz> = at.to_utc().with_timezone(&zone);
    let pattern =
        if at.0 % super::time::MINUTE == 0 { "%Y-%m-%d %H:%M %:z" } else { "%Y-%m-%d %H:%M:%S%.f %:z" };
    local.format(pattern).to_string()
}

#[cfg(test)]
mod tests {
    use super::super::time::HOUR;
    use super::*;
    use chrono_tz::{America::New_York, Tz::UTC};
    use proptest::prelude::*;

    fn date(text: &str) -> NaiveDate {
        text.parse().unwrap()
    }

    #[test]
    fn days_have_the_hours_that_the_zone_gives_them() {
        let cases = [
            ("2026-03-08", "America/New_York", "2026-03-08T05:00:00Z", 23),
            ("2026-11-01", "America/New_York", "2026-11-01T04:00:00Z", 25),
            ("2026-03-02", "Asia/Shanghai", "2026-03-01T16:00:00Z", 24),
            // A midnight that does not exist, and one that comes twice.
            ("2026-09-06", "America/Santiago", "2026-09-06T04:00:00Z", 23),
            ("2026-10-31", "America/Havana", "2026-10-31T04:00:00Z", 24),
            ("2026-11-01", "America/Havana", "2026-11-01T04:00:00Z", 25),
            // A date that the zone skipped altogether.
            ("2011-12-30", "Pacific/Apia", "2011-12-30T10:00:00Z", 0),
        ];
        for (day, zone, from, hours) in cases {
            let span = local_day(date(day), zone.parse().unwrap());
            assert_eq!(
                (span.from.to_rfc3339().as_str(), span.micros()),
                (from, hours * HOUR),
                "{day} {zone}"
            );
        }
    }

    #[test]
    fn a_day_of_25_hours_has_25_windows_with_25_labels() {
        let windows = cut(local_day(date("2026-11-01"), New_York), HOUR, New_York, 1000);
        let mut labels: Vec<_> = windows.iter().map(|window| label(window.0.from, New_York)).collect();
        assert_eq!(
            (windows.len(), labels[1].as_str(), labels[2].as_str()),
            (25, "2026-11-01 01:00 -04:00", "2026-11-01 01:00 -05:00")
        );
        labels.dedup();
        assert_eq!(labels.len(), 25);
    }

    #[test]
    fn a_window_that_does_not_divide_the_day_ends_with_it() {
        let windows = cut(local_day(date("2026-03-02"), UTC), 5 * HOUR, UTC, 1000);
        assert_eq!(windows.len(), 5);
        assert_eq!(windows[4].0.micros(), 4 * HOUR);
        assert_eq!(cut(local_day(date("2026-03-02"), UTC), HOUR, UTC, 7).len(), 7);
    }

    proptest! {
        #[test]
        fn windows_tile_the_span(start in 0_i64..60_000, hours in 1_i64..100, size in 1_i64..30, zone in 0_usize..5) {
            let zone: Tz = ["UTC", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/Santiago"][zone].parse().unwrap();
            let from = Micros(1_577_836_800 * super::super::time::SECOND).plus(start * HOUR);
            let span = Span::new(from, from.plus(hours * HOUR));
            let windows = cut(span, size * HOUR, zone, usize::MAX);
            prop_assert_eq!(windows[0].0.from, span.from);
            prop_assert_eq!(windows[windows.len() - 1].0.until, span.until);
            for pair in windows.windows(2) {
                prop_assert_eq!(pair[0].0.until, pair[1].0.from);
            }
            for (place, window) in windows.iter().enumerate() {
                prop_assert_eq!(position(&windows, window.0.from), Some(place));
                prop_assert_eq!(position(&windows, window.0.until.plus(-1)), Some(place));
                if window.0.from > span.from && window.0.until < span.until {
                    prop_assert_eq!(holding(window.0.from, size * HOUR, zone), *window);
                    prop_assert_eq!(holding(window.0.until.plus(-1), size * HOUR, zone), *window);
                }
            }
            prop_assert_eq!(position(&windows, span.until), None);
        }
    }
}
