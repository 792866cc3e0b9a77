//! Values to stamps.

use super::iso;
use crate::config::TimeFormat;
use crate::model::event::Stamp;
use crate::model::{Micros, Span};
use crate::source::axis;
use crate::source::cell::Cell;
use chrono::format::{Item, Parsed, StrftimeItems, parse};
use chrono::{DateTime, LocalResult, TimeDelta, TimeZone as _};
use chrono_tz::Tz;

/// Why a value cannot be read although it may well be a time: the configuration does not say enough.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Undeclared {
    /// It carries no zone and none is declared.
    Zone,
    /// It is a number and no unit is declared.
    Unit,
}

/// Reads the values of one time column.
#[derive(Clone, Debug)]
pub struct TimeReader {
    format: TimeFormat,
    pattern: Vec<Item<'static>>,
    zone: Option<Tz>,
    usable: Span,
}

impl TimeReader {
    /// A reader; `usable` bounds what counts as a real time. A pattern that chrono cannot read gives `None`.
    pub fn new(format: &TimeFormat, zone: Option<Tz>, usable: Span) -> Option<Self> {
        let pattern = match format {
            TimeFormat::Pattern(pattern) => StrftimeItems::new(pattern).parse_to_owned().ok()?,
            _ => Vec::new(),
        };
        Some(Self { format: format.clone(), pattern, zone, usable })
    }

    /// What a value says. Nothing, the zero date, 0 as an epoch number and empty text all mean "not yet".
    pub fn stamp(&self, cell: Cell<'_>) -> Result<Stamp, Undeclared> {
        Ok(match self.instant(cell)? {
            Some(Read::Nothing) => Stamp::None,
            Some(Read::At(at)) if self.usable.contains(at) => Stamp::At(at),
            Some(Read::At(_)) | None => Stamp::Unusable,
        })
    }

    fn instant(&self, cell: Cell<'_>) -> Result<Option<Read>, Undeclared> {
        Ok(match cell {
            Cell::Null | Cell::ZeroTime => Some(Read::Nothing),
            Cell::Instant(at) => Some(Read::At(Micros(at))),
            Cell::Local(clock) => self.local(clock)?,
            Cell::BadTime | Cell::Uuid(_) => None,
            Cell::Integer(number) => self.number(number)?,
            Cell::Real(number) => self.real(number)?,
            Cell::Text(text) | Cell::Bytes(text) => self.text(text)?,
        })
    }

    fn local(&self, clock: i64) -> Result<Option<Read>, Undeclared> {
        let zone = self.zone.ok_or(Undeclared::Zone)?;
        Ok(to_instant(zone, clock).map(Read::At))
    }

    fn unit(&self) -> Result<i128, Undeclared> {
        match axis::unit(&self.format) {
            0 => Err(Undeclared::Unit),
            unit => Ok(i128::from(unit)),
        }
    }

    fn number(&self, number: i128) -> Result<Option<Read>, Undeclared> {
        let unit = self.unit()?;
        if number == 0 {
            return Ok(Some(Read::Nothing));
        }
        Ok(number
            .checked_mul(unit)
            .and_then(|micros| i64::try_from(micros).ok())
            .map(|at| Read::At(Micros(at))))
    }

    fn real(&self, number: f64) -> Result<Option<Read>, Undeclared> {
        #[expect(clippy::cast_precision_loss, reason = "a unit is at most a million")]
        let micros = number * self.unit()? as f64;
        if number == 0.0 {
            return Ok(Some(Read::Nothing));
        }
        // Beyond this a sum of microseconds is no date of any calendar; NaN fails the comparison too.
        let sane = micros.abs() < 1e17;
        #[expect(clippy::cast_possible_truncation, reason = "bounded above")]
        Ok(sane.then(|| Read::At(Micros(micros.round() as i64))))
    }

    fn text(&self, text: &[u8]) -> Result<Option<Read>, Undeclared> {
        if text.trim_ascii().is_empty() || text.starts_with(b"0000-00-00") {
            return Ok(Some(Read::Nothing));
        }
        match &self.format {
            TimeFormat::Native | TimeFormat::Iso8601 => self.iso(text),
            TimeFormat::Pattern(_) => self.patterned(text),
            _ => self.digits(text),
        }
    }

    fn iso(&self, text: &[u8]) -> Result<Option<Read>, Undeclared> {
        match iso::parse(text) {
            None => Ok(None),
            Some(iso::Written { clock, offset: Some(offset) }) => Ok(Some(Read::At(Micros(clock - offset)))),
            Some(iso::Written { clock, offset: None }) => self.local(clock),
        }
    }

    fn digits(&self, text: &[u8]) -> Result<Option<Read>, Undeclared> {
        let text = std::str::from_utf8(text).unwrap_or("").trim();
        match (text.parse::<i128>(), text.parse::<f64>()) {
            (Ok(number), _) => self.number(number),
            (_, Ok(number)) => self.real(number),
            _ => Ok(None),
        }
    }

    fn patterned(&self, text: &[u8]) -> Result<Option<Read>, Undeclared> {
        let mut parsed = Parsed::new();
        let text = std::str::from_utf8(text).unwrap_or("").trim();
        if parse(&mut parsed, text, self.pattern.iter()).is_err() {
            return Ok(None);
        }
        let at = |utc: DateTime<chrono::FixedOffset>| Read::At(Micros(utc.timestamp_micros()));
        if parsed.offset().is_some() {
            return Ok(parsed.to_datetime().ok().map(at));
        }
        if let Some(seconds) = parsed.timestamp() {
            return Ok(seconds.checked_mul(1_000_000).map(|micros| Read::At(Micros(micros))));
        }
        let date = parsed.to_naive_date().ok();
        let time = parsed.to_naive_time().unwrap_or_default();
        date.map_or(Ok(None), |date| self.local(date.and_time(time).and_utc().timestamp_micros()))
    }
}

enum Read {
    Nothing,
    At(Micros),
}

/// The instant at which a zone's wall clock shows this: the earlier where it does so twice, and the instant after the
/// gap where it never does.
pub fn to_instant(zone: Tz, clock: i64) -> Option<Micros> {
    let wall = DateTime::from_timestamp_micros(clock)?.naive_utc();
    match zone.from_local_datetime(&wall) {
        LocalResult::Single(at) => Some(Micros(at.timestamp_micros())),
        LocalResult::Ambiguous(one, other) => {
            Some(Micros(one.timestamp_micros().min(other.timestamp_micros())))
        }
        LocalResult::None => end_of_gap(zone, clock),
    }
}

/// The first instant at which the clock shows a time after the gap: found by halving, since offsets are all a zone tells.
fn end_of_gap(zone: Tz, clock: i64) -> Option<Micros> {
    let shows = |at: i64| {
        let utc = DateTime::from_timestamp_micros(at)?;
        Some(zone.from_utc_datetime(&utc.naive_utc()).naive_local().and_utc().timestamp_micros())
    };
    let day = TimeDelta::days(2).num_microseconds()?;
    let (mut before, mut after) = (clock.checked_sub(day)?, clock.checked_add(day)?);
    while after - before > 1 {
        let middle = before + (after - before) / 2;
        if shows(middle)? > clock {
            after = middle;
        } else {
            before = middle;
        }
    }
    Some(Micros(after))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::{DAY, HOUR};
    use proptest::prelude::*;

    const TEN: i64 = 1_772_445_600_000_000; // 2026-03-02T10:00:00Z
    const USABLE: Span = Span { from: Micros::EARLIEST_USABLE, until: Micros(TEN + 10 * DAY) };

    fn reader(format: &TimeFormat, zone: Option<Tz>) -> TimeReader {
        TimeReader::new(format, zone, USABLE).unwrap()
    }

    const fn at(micros: i64) -> Stamp {
        Stamp::At(Micros(micros))
    }

    #[test]
    fn every_format_reads_the_same_instant() {
        let cases = [
            (TimeFormat::Native, Cell::Instant(TEN)),
            (TimeFormat::Native, Cell::Local(TEN + 8 * HOUR)),
            (TimeFormat::Native, Cell::Text(b"2026-03-02 18:00:00")),
            (TimeFormat::Iso8601, Cell::Text(b"2026-03-02T10:00:00Z")),
            (TimeFormat::EpochSeconds, Cell::Integer(1_772_445_600)),
            (TimeFormat::EpochMillis, Cell::Integer(1_772_445_600_000)),
            (TimeFormat::EpochMicros, Cell::Integer(1_772_445_600_000_000)),
            (TimeFormat::EpochSeconds, Cell::Real(1_772_445_600.0)),
            (TimeFormat::EpochMillis, Cell::Text(b"1772445600000")),
            (TimeFormat::EpochSeconds, Cell::Text(b"1772445600.000")),
            (TimeFormat::Pattern("%d/%m/%Y %H:%M".to_owned()), Cell::Text(b"02/03/2026 18:00")),
            (TimeFormat::Pattern("%Y%m%d%H%M%S %z".to_owned()), Cell::Text(b"20260302120000 +0200")),
        ];
        for (format, cell) in cases {
            assert_eq!(
                reader(&format, Some(Tz::Asia__Shanghai)).stamp(cell),
                Ok(at(TEN)),
                "{format:?} {cell:?}"
            );
        }
    }

    #[test]
    fn not_yet_is_none_and_nonsense_is_unusable() {
        let native = reader(&TimeFormat::Native, Some(Tz::UTC));
        for cell in [Cell::Null, Cell::ZeroTime, Cell::Text(b""), Cell::Text(b"0000-00-00 00:00:00")] {
            assert_eq!(native.stamp(cell), Ok(Stamp::None), "{cell:?}");
        }
        assert_eq!(reader(&TimeFormat::EpochMillis, None).stamp(Cell::Integer(0)), Ok(Stamp::None));
        for cell in [
            Cell::BadTime,
            Cell::Text(b"yesterday"),
            Cell::Instant(0),
            Cell::Instant(i64::MAX),
            Cell::Local(i64::MIN),
            Cell::Instant(USABLE.until.0),
        ] {
            assert_eq!(native.stamp(cell), Ok(Stamp::Unusable), "{cell:?}");
        }
    }

    #[test]
    fn nothing_is_guessed() {
        let native = reader(&TimeFormat::Native, None);
        assert_eq!(native.stamp(Cell::Text(b"2026-03-02 10:00:00")), Err(Undeclared::Zone));
        assert_eq!(native.stamp(Cell::Local(TEN)), Err(Undeclared::Zone));
        assert_eq!(native.stamp(Cell::Integer(1_772_445_600)), Err(Undeclared::Unit));
        assert_eq!(native.stamp(Cell::Text(b"2026-03-02 10:00:00Z")), Ok(at(TEN)));
    }

    #[test]
    fn gaps_end_and_doubled_hours_begin_early() {
        let wall = |text: &str| iso::parse(text.as_bytes()).unwrap().clock;
        let cases = [
            ("2026-03-29 02:30:00", "2026-03-29 01:00:00"), // never shown: the clock jumps from 2 to 3
            ("2026-10-25 02:30:00", "2026-10-25 00:30:00"), // shown twice: at 00:30Z and 01:30Z
            ("2026-06-01 12:00:00", "2026-06-01 10:00:00"),
        ];
        for (local, utc) in cases {
            assert_eq!(to_instant(Tz::Europe__Berlin, wall(local)), Some(Micros(wall(utc))), "{local}");
        }
    }

    proptest! {
        #[test]
        fn no_value_makes_it_panic(
            number in any::<i128>(), real in any::<f64>(), micros in any::<i64>(),
            bytes in proptest::collection::vec(any::<u8>(), 0..30),
        ) {
            let formats = [
                TimeFormat::Native, TimeFormat::EpochSeconds, TimeFormat::EpochMicros,
                TimeFormat::Pattern("%d/%m/%Y %H:%M:%S%.f %z".to_owned()),
            ];
            for format in formats {
                let reader = reader(&format, Some(Tz::Europe__Berlin));
                for cell in [
                    Cell::Integer(number), Cell::Real(real), Cell::Instant(micros), Cell::Local(micros),
                    Cell::Text(&bytes), Cell::Bytes(&bytes),
                ] {
                    let _ = reader.stamp(cell);
                }
            }
        }

        #[test]
        fn wall_clocks_give_later_instants_for_later_times(clock in 0..2_000_000_000_000_000_i64, step in 0..DAY) {
            for zone in [Tz::Asia__Shanghai, Tz::UTC] {
                prop_assert!(to_instant(zone, clock) <= to_instant(zone, clock + step));
            }
        }
    }
}
