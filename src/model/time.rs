//! Instants as UTC microseconds and half-open spans of them.

use chrono::{DateTime, SecondsFormat, Utc};
use std::fmt;

/// An instant: microseconds since 1970-01-01T00:00:00Z.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Micros(pub i64);

/// Microseconds in a second.
pub const SECOND: i64 = 1_000_000;
/// Microseconds in a minute.
pub const MINUTE: i64 = 60 * SECOND;
/// Microseconds in an hour.
pub const HOUR: i64 = 60 * MINUTE;
/// Microseconds in 24 hours (not in a local day, which may have 23 or 25).
pub const DAY: i64 = 24 * HOUR;

impl Micros {
    /// 1971-01-01T00:00:00Z: what lies before is a default or a damaged value, never a real message.
    pub const EARLIEST_USABLE: Self = Self(365 * DAY);

    /// The same instant in chrono's terms; the ends of chrono's range where it lies beyond them.
    #[must_use]
    pub fn to_utc(self) -> DateTime<Utc> {
        DateTime::from_timestamp_micros(self.0).unwrap_or(if self.0 < 0 {
            DateTime::<Utc>::MIN_UTC
        } else {
            DateTime::<Utc>::MAX_UTC
        })
    }

    /// RFC 3339 in UTC: whole seconds, or milli- or microseconds where the instant has them.
    #[must_use]
    pub fn to_rfc3339(self) -> String {
        self.to_utc().to_rfc3339_opts(SecondsFormat::AutoSi, true)
    }

    /// `self + micros`, held at the ends of the range instead of wrapping.
    #[must_use]
    pub fn plus(self, micros: i64) -> Self {
        Self(self.0.saturating_add(micros))
    }

    /// `self - earlier` in microseconds (negative where `earlier` is later).
    #[must_use]
    pub fn since(self, earlier: Self) -> i64 {
        self.0.saturating_sub(earlier.0)
    }
}

impl From<DateTime<Utc>> for Micros {
    fn from(at: DateTime<Utc>) -> Self {
        Self(at.timestamp_micros())
    }
}

impl fmt::Display for Micros {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.to_rfc3339())
    }
}

impl serde::Serialize for Micros {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(&self.to_rfc3339())
    }
}

impl<'de> serde::Deserialize<'de> for Micros {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let text = String::deserialize(from)?;
        let at = DateTime::parse_from_rfc3339(&text).map_err(serde::de::Error::custom)?;
        Ok(Self(at.timestamp_micros()))
    }
}

/// A half-open span `[from, until)`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, serde::Serialize, serde::Deserialize)]
pub struct Span {
    /// First instant inside.
    pub from: Micros,
    /// First instant after.
    pub until: Micros,
}

impl Span {
    /// A span from two instants.
    #[must_use]
    pub const fn new(from: Micros, until: Micros) -> Self {
        Self { from, until }
    }

    /// Whether `at` lies inside.
    #[must_use]
    pub fn contains(&self, at: Micros) -> bool {
        self.from <= at && at < self.until
    }

    /// Whether no instant lies inside.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.from >= self.until
    }

    /// Length in microseconds; 0 for an empty span.
    #[must_use]
    pub fn micros(&self) -> i64 {
        self.until.since(self.from).max(0)
    }

    /// The same span, wider by `before` and `after` microseconds.
    #[must_use]
    pub fn widened(&self, before: i64, after: i64) -> Self {
        Self::new(self.from.plus(-before), self.until.plus(after))
    }
}

/// A duration in microseconds as a person would say it: `2h 5m`, `1.5s`, `3d 4h` (two units at the most).
#[must_use]
pub fn human(micros: i64) -> String {
    let sign = if micros < 0 { "-" } else { "" };
    let m = micros.saturating_abs();
    let two = |big: i64, big_name: &str, small: i64, small_name: &str| {
        let (b, s) = (m / big, m % big / small);
        if s == 0 { format!("{sign}{b}{big_name}") } else { format!("{sign}{b}{big_name} {s}{small_name}") }
    };
    match m {
        0 => "0s".to_owned(),
        _ if m >= DAY => two(DAY, "d", HOUR, "h"),
        _ if m >= HOUR => two(HOUR, "h", MINUTE, "m"),
        _ if m >= MINUTE => two(MINUTE, "m", SECOND, "s"),
        _ if m % SECOND == 0 => format!("{sign}{}s", m / SECOND),
        _ if m >= SECOND => format!("{sign}{}.{}s", m / SECOND, m % SECOND / 100_000),
        _ if m >= 1_000 => format!("{sign}{}ms", m / 1_000),
        _ => format!("{sign}{m}µs"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn durations_read_as_a_person_would_say_them() {
        let cases = [
            (0, "0s"),
            (17, "17µs"),
            (1_500_000, "1.5s"),
            (5 * SECOND, "5s"),
            (65 * SECOND, "1m 5s"),
            (22 * HOUR, "22h"),
            (-2 * SECOND, "-2s"),
            (49 * HOUR, "2d 1h"),
        ];
        for (micros, text) in cases {
            assert_eq!(human(micros), text);
        }
    }

    #[test]
    fn spans_are_half_open() {
        let span = Span::new(Micros(10), Micros(20));
        assert!(span.contains(Micros(10)) && span.contains(Micros(19)));
        assert!(!span.contains(Micros(20)) && !span.contains(Micros(9)));
        assert_eq!(Micros(0).to_rfc3339(), "1970-01-01T00:00:00Z");
    }
}
