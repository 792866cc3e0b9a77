//! A time column as an axis: how instants become bounds that are compared with the column as it stands.
//!
//! Both ends of a span go through one monotone function, so consecutive slices select disjoint rows and miss none.
//! Where the column's order is not exactly the order of time, a margin says by how much a row may stand elsewhere.

use super::cell::Kind;
use super::sql::{self, Fragment, Value};
use crate::config::{Dialect, TimeFormat};
use crate::model::time::{DAY, HOUR, SECOND};
use crate::model::{Micros, Span};
use chrono::{Datelike as _, NaiveDate, NaiveTime, Offset as _, TimeZone as _};
use chrono_tz::Tz;

/// How a column's order relates to time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Axis {
    /// The server knows the instant.
    Instant,
    /// A wall clock that is taken to be this many microseconds ahead of UTC; may be off by the margin.
    Local {
        /// Microseconds ahead of UTC.
        offset: i64,
        /// How far a row may stand from its true place.
        margin: i64,
    },
    /// Numbers of this many microseconds since 1970.
    Epoch {
        /// Microseconds in one.
        unit: i64,
        /// How far a row may stand from its true place.
        margin: i64,
    },
    /// ISO 8601 text in any offset, with a blank or a `T`.
    Text,
    /// The server cannot compare it: everything is read.
    Whole,
}

/// Summer time and the like shift a wall clock by no more.
const CLOCK_CHANGE: i64 = 3 * HOUR;
/// Offsets go from 12 hours behind UTC to 14 hours ahead of it.
const OFFSETS: i64 = 26 * HOUR;
/// Zones that did not change their offset after this day count as fixed.
const FIXED_SINCE: i64 = 22 * 365 * DAY;

impl Axis {
    /// The axis of a column that was found to hold `kind`. `numbers` says that its declared type keeps numbers as
    /// numbers (SQLite); `as_of` bounds the search for changes of the zone's offset.
    pub fn of(kind: Kind, format: &TimeFormat, zone: Option<Tz>, numbers: bool, as_of: Micros) -> Self {
        let unit = unit(format);
        match (kind, format) {
            (_, TimeFormat::Pattern(_)) => Self::Whole,
            (Kind::Instant, _) => Self::Instant,
            (Kind::Local, _) => Self::local(zone.unwrap_or(Tz::UTC), as_of),
            (
                Kind::Dynamic | Kind::Text | Kind::Padded | Kind::Bytes,
                TimeFormat::Native | TimeFormat::Iso8601,
            ) => Self::Text,
            (Kind::Integer(..), _) if unit > 0 => Self::Epoch { unit, margin: 0 },
            (Kind::Decimal | Kind::Real(_), _) if unit > 0 => Self::Epoch { unit, margin: unit },
            (Kind::Dynamic, _) if unit > 0 && numbers => Self::Epoch { unit, margin: unit },
            _ => Self::Whole,
        }
    }

    fn local(zone: Tz, as_of: Micros) -> Self {
        let offset = offset(zone, as_of);
        let last = as_of.plus(366 * DAY);
        let mut at = Micros(FIXED_SINCE);
        while at < last {
            if self::offset(zone, at) != offset {
                return Self::Local { offset, margin: CLOCK_CHANGE };
            }
            at = at.plus(5 * DAY);
        }
        Self::Local { offset, margin: 0 }
    }

    /// Widen a range by so much on both sides before cutting it.
    pub fn margin(self) -> i64 {
        match self {
            Self::Instant | Self::Whole => 0,
            Self::Local { margin, .. } | Self::Epoch { margin, .. } => margin,
            Self::Text => OFFSETS,
        }
    }

    /// The bound that stands for an instant. Monotone.
    pub fn bound(self, at: Micros) -> Value {
        match self {
            Self::Instant | Self::Whole => Value::Instant(at.0),
            Self::Local { offset, .. } => Value::Local(at.0.saturating_add(offset)),
            Self::Epoch { unit, .. } => Value::Int(ceiling(at.0, unit)),
            Self::Text => Value::Text(sql::clock(at.0)),
        }
    }

    /// Rows whose place is in the span.
    pub fn within(self, column: &str, span: Span) -> Fragment {
        let between = |from: Value, until: Value| {
            Fragment::text(format!("{column} >= "))
                .and_value(from)
                .and_text(format!(" AND {column} < "))
                .and_value(until)
        };
        match self {
            Self::Whole => "(1 = 1)".into(),
            Self::Text => {
                let with_t = |at: Micros| Value::Text(sql::clock(at.0).replacen(' ', "T", 1));
                Fragment::text(format!("((substr({column}, 11, 1) <> 'T' AND "))
                    .and(between(self.bound(span.from), self.bound(span.until)))
                    .and_text(format!(") OR (substr({column}, 11, 1) = 'T' AND "))
                    .and(between(with_t(span.from), with_t(span.until)))
                    .and_text("))")
            }
            _ => {
                Fragment::text("(").and(between(self.bound(span.from), self.bound(span.until))).and_text(")")
            }
        }
    }

    /// Rows that hold something that may be a usable time: false for what surely is none.
    pub fn usable(self, column: &str, dialect: Dialect, usable: Span) -> Fragment {
        let within = self.within(column, usable);
        match self {
            Self::Text => {
                Fragment::text(format!("({column} LIKE '____-__-__%' AND ")).and(within).and_text(")")
            }
            Self::Local { .. } if dialect == Dialect::Mysql => {
                Fragment::text(format!("(MONTH({column}) <> 0 AND DAYOFMONTH({column}) <> 0 AND "))
                    .and(within)
                    .and_text(")")
            }
            _ => within,
        }
    }

    /// The rest: NULL, zero dates, infinity, half dates and what lies outside every sane time.
    pub fn unusable(self, column: &str, dialect: Dialect, usable: Span) -> Fragment {
        match self {
            Self::Text | Self::Whole => Fragment::text(format!("({column} IS NULL OR NOT "))
                .and(self.usable(column, dialect, usable))
                .and_text(")"),
            Self::Local { .. } if dialect == Dialect::Mysql => self
                .outside(column, usable)
                .and_text(format!(" OR MONTH({column}) = 0 OR DAYOFMONTH({column}) = 0)")),
            _ => self.outside(column, usable).and_text(")"),
        }
    }

    /// The same, as ranges that an index serves. MySQL's half dates (`2026-00-15`, `2026-03-00`) sort after the end of
    /// a month and before the next, where nothing else is; those of the last years are looked for there.
    pub fn unusable_by_index(self, column: &str, dialect: Dialect, usable: Span) -> Fragment {
        match self {
            Self::Local { .. } if dialect == Dialect::Mysql => {
                let gaps = month_ends(usable.until).into_iter().map(|(last, first)| {
                    let after = Fragment::text(format!(" OR ({column} > ")).and_value(Value::Local(last));
                    after.and_text(format!(" AND {column} < ")).and_value(Value::Local(first)).and_text(")")
                });
                self.outside(column, usable).and(Fragment::join(gaps, "")).and_text(")")
            }
            _ => self.unusable(column, dialect, usable),
        }
    }

    fn outside(self, column: &str, usable: Span) -> Fragment {
        Fragment::text(format!("({column} IS NULL OR {column} < "))
            .and_value(self.bound(usable.from))
            .and_text(format!(" OR {column} >= "))
            .and_value(self.bound(usable.until))
    }
}

/// So many months back half dates are looked for by index.
const MONTHS: i32 = 60;

/// The last microsecond of each of the last months, and the first of the next.
fn month_ends(until: Micros) -> Vec<(i64, i64)> {
    let now = until.to_utc();
    let months = now.year() * 12 + i32::try_from(now.month0()).unwrap_or(0);
    let first = |month: i32| {
        let day = NaiveDate::from_ymd_opt(month.div_euclid(12), month.rem_euclid(12).unsigned_abs() + 1, 1)?;
        Some(day.and_time(NaiveTime::MIN).and_utc().timestamp_micros())
    };
    (months - MONTHS..=months).filter_map(first).map(|first| (first - 1, first)).collect()
}

/// Microseconds in one of the format's numbers; 0 where the format has none.
pub fn unit(format: &TimeFormat) -> i64 {
    match format {
        TimeFormat::EpochSeconds => SECOND,
        TimeFormat::EpochMillis => 1_000,
        TimeFormat::EpochMicros => 1,
        TimeFormat::Native | TimeFormat::Iso8601 | TimeFormat::Pattern(_) => 0,
    }
}

fn ceiling(at: i64, unit: i64) -> i64 {
    at.div_euclid(unit) + i64::from(at.rem_euclid(unit) != 0)
}

fn offset(zone: Tz, at: Micros) -> i64 {
    let seconds = zone.offset_from_utc_datetime(&at.to_utc().naive_utc()).fix().local_minus_utc();
    i64::from(seconds) * SECOND
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const AS_OF: Micros = Micros(1_772_500_000_000_000);

    fn axes() -> Vec<Axis> {
        let zoned = |zone| Axis::of(Kind::Local, &TimeFormat::Native, Some(zone), true, AS_OF);
        vec![
            Axis::Instant,
            zoned(Tz::UTC),
            zoned(Tz::Asia__Shanghai),
            zoned(Tz::Europe__Berlin),
            Axis::of(Kind::Integer(8, true), &TimeFormat::EpochSeconds, None, true, AS_OF),
            Axis::of(Kind::Integer(8, true), &TimeFormat::EpochMillis, None, true, AS_OF),
            Axis::of(Kind::Decimal, &TimeFormat::EpochSeconds, None, true, AS_OF),
            Axis::of(Kind::Dynamic, &TimeFormat::Native, None, true, AS_OF),
        ]
    }

    #[test]
    fn zones_that_never_change_are_exact() {
        let hour = |axis| match axis {
            Axis::Local { offset, margin } => (offset / HOUR, margin / HOUR),
            other => panic!("{other:?}"),
        };
        let zoned = |zone| Axis::of(Kind::Local, &TimeFormat::Native, Some(zone), true, AS_OF);
        assert_eq!(hour(zoned(Tz::UTC)), (0, 0));
        assert_eq!(hour(zoned(Tz::Asia__Shanghai)), (8, 0));
        assert_eq!(hour(zoned(Tz::Europe__Berlin)), (1, 3));
    }

    #[test]
    fn epoch_bounds_round_up_at_both_ends() {
        let seconds = Axis::Epoch { unit: SECOND, margin: 0 };
        for (at, bound) in [(0, 0), (1, 1), (999_999, 1), (1_000_000, 1), (1_000_001, 2), (-1, 0)] {
            assert_eq!(seconds.bound(Micros(at)), Value::Int(bound), "{at}");
        }
    }

    #[test]
    fn patterns_and_text_numbers_are_read_whole() {
        let pattern = TimeFormat::Pattern("%d/%m/%Y".to_owned());
        assert_eq!(Axis::of(Kind::Text, &pattern, None, true, AS_OF), Axis::Whole);
        assert_eq!(Axis::of(Kind::Text, &TimeFormat::EpochMillis, None, true, AS_OF), Axis::Whole);
        assert_eq!(Axis::of(Kind::Dynamic, &TimeFormat::EpochMillis, None, false, AS_OF), Axis::Whole);
    }

    #[test]
    fn half_dates_are_looked_for_between_the_months() {
        let ends = month_ends(AS_OF);
        assert_eq!(ends.len(), 61);
        let shown: Vec<_> =
            ends[59..].iter().map(|(last, first)| (sql::clock(*last), sql::clock(*first))).collect();
        let text = |text: &str| text.to_owned();
        assert_eq!(shown[1], (text("2026-02-28 23:59:59.999999"), text("2026-03-01 00:00:00")));
        assert_eq!(shown[0], (text("2026-01-31 23:59:59.999999"), text("2026-02-01 00:00:00")));
    }

    fn order(value: Value) -> (i64, String) {
        match value {
            Value::Int(n) | Value::Instant(n) | Value::Local(n) => (n, String::new()),
            Value::Text(text) => (0, text),
            other => panic!("{other:?}"),
        }
    }

    proptest! {
        #[test]
        fn later_instants_have_no_smaller_bounds(
            a in Micros::EARLIEST_USABLE.0..4_000_000_000_000_000_i64,
            step in 0..100_000_000_000_i64,
        ) {
            for axis in axes() {
                prop_assert!(order(axis.bound(Micros(a))) <= order(axis.bound(Micros(a + step))), "{axis:?}");
            }
        }
    }
}
