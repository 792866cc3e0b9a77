//! A time column as an axis: how instants become bounds that are compared with the column as it stands.
//!
//! Both ends of a span go through one monotone function, so consecutive slices select disjoint rows and miss none.
//! Where the column's order is not exactly the order of time, a margin says by how much a row may stand elsewhere.

use super::cell::Kind;
use super::decode::iso;
use super::sql::{self, Fragment, Value};
use crate::config::{Dialect, TimeFormat};
use crate::model::time::{DAY, HOUR, SECOND};
use crate::model::{Micros, Span};
use chrono::{Datelike as _, NaiveDate, NaiveTime, Offset as _, TimeZone as _};
use chrono_tz::Tz;
use std::ops::RangeInclusive;

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
/// Text may be written in any offset, and none that is read is further from UTC.
const OFFSETS: i64 = iso::OFFSET_MAX;
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
            // No server keeps less than a microsecond, and MySQL asks each row again, be it that it read along an index: two
            // conditions cost it a tenth of what reading ids and times does, this one half of that. Half dates alone lie
            // between the last microsecond of a month and the next.
            Self::Instant | Self::Local { .. } if !self.begins_month(span.until) => {
                Fragment::text(format!("({column} BETWEEN "))
                    .and_value(self.bound(span.from))
                    .and_text(" AND ")
                    .and_value(self.bound(span.until.plus(-1)))
                    .and_text(")")
            }
            _ => {
                Fragment::text("(").and(between(self.bound(span.from), self.bound(span.until))).and_text(")")
            }
        }
    }

    /// Whether the column shows the begin of a month at an instant.
    fn begins_month(self, at: Micros) -> bool {
        match self.bound(at) {
            Value::Instant(shown) | Value::Local(shown) => begin(month(Micros(shown))) == Some(shown),
            _ => false,
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

    /// What a row within a span of usable time has to hold beyond that. On MySQL half dates lie just before the first of a
    /// month, so that most spans hold none, and asking each row for its month takes as long as reading it.
    pub fn usable_within(self, column: &str, dialect: Dialect, usable: Span, span: Span) -> Fragment {
        match self {
            Self::Text => self.usable(column, dialect, usable),
            Self::Local { .. }
                if dialect == Dialect::Mysql
                    && self.shown_month(span.from) != self.shown_month(span.until) =>
            {
                Fragment::text(format!("(MONTH({column}) <> 0 AND DAYOFMONTH({column}) <> 0)"))
            }
            Self::Instant | Self::Local { .. } | Self::Epoch { .. } | Self::Whole => "(1 = 1)".into(),
        }
    }

    /// The month that the column shows at an instant.
    fn shown_month(self, at: Micros) -> Option<i32> {
        match self.bound(at) {
            Value::Instant(shown) | Value::Local(shown) => Some(month(Micros(shown))),
            _ => None,
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
    /// a month and before the next, where nothing else is; they are looked for there, old ones only if the column holds any.
    pub fn unusable_by_index(self, column: &str, dialect: Dialect, usable: Span, old: bool) -> Fragment {
        match self {
            Self::Local { .. } if dialect == Dialect::Mysql => {
                let first = if old { month(usable.from) } else { recent(usable).0 };
                let gaps = gaps(column, first..=month(usable.until));
                self.outside(column, usable).and_text(" OR ").and(gaps).and_text(")")
            }
            _ => self.unusable(column, dialect, usable),
        }
    }

    /// On MySQL: the rows that are older than the half dates that are always looked for by index.
    pub fn old(self, column: &str, dialect: Dialect, usable: Span) -> Option<Fragment> {
        let local = dialect == Dialect::Mysql && matches!(self, Self::Local { .. });
        let (_, begin) = recent(usable);
        local.then(|| self.within(column, Span::new(usable.from, begin.max(usable.from))))
    }

    /// The half dates among them.
    pub fn old_half_dates(column: &str, usable: Span) -> Fragment {
        let (first, _) = recent(usable);
        gaps(column, month(usable.from)..=first - 1)
    }

    /// Rows that may say "not yet": NULL, empty text, the zero date, 0.
    pub fn not_yet(self, column: &str, usable: Span) -> Fragment {
        match self {
            Self::Whole => "(1 = 1)".into(),
            _ => self.before(column, usable).and_text(")"),
        }
    }

    fn before(self, column: &str, usable: Span) -> Fragment {
        Fragment::text(format!("({column} IS NULL OR {column} < ")).and_value(self.bound(usable.from))
    }

    fn outside(self, column: &str, usable: Span) -> Fragment {
        self.before(column, usable).and_text(format!(" OR {column} >= ")).and_value(self.bound(usable.until))
    }
}

/// So many months back half dates are looked for by index.
const MONTHS: i32 = 60;

/// Months since the year 0.
fn month(at: Micros) -> i32 {
    let at = at.to_utc();
    at.year() * 12 + i32::try_from(at.month0()).unwrap_or(0)
}

/// The first of the months at whose begin half dates are always looked for, and that begin.
fn recent(usable: Span) -> (i32, Micros) {
    let first = month(usable.until) - MONTHS;
    (first, begin(first).map_or(usable.from, Micros))
}

fn begin(month: i32) -> Option<i64> {
    let day = NaiveDate::from_ymd_opt(month.div_euclid(12), month.rem_euclid(12).unsigned_abs() + 1, 1)?;
    Some(day.and_time(NaiveTime::MIN).and_utc().timestamp_micros())
}

/// What lies between the last microsecond of a month and the first of the next.
fn gaps(column: &str, months: RangeInclusive<i32>) -> Fragment {
    let gap = |first: i64| {
        let after = Fragment::text(format!("({column} > ")).and_value(Value::Local(first - 1));
        after.and_text(format!(" AND {column} < ")).and_value(Value::Local(first)).and_text(")")
    };
    Fragment::join(months.filter_map(begin).map(gap), " OR ")
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
mod tests;
