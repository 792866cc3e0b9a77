//! Times in the short form: what the server puts together, and how a piece becomes an instant again.

use crate::config::Dialect;
use crate::model::Micros;
use crate::model::event::Stamp;
use crate::model::time::{DAY, HOUR, MINUTE, SECOND};
use crate::source::axis::Axis;
use crate::source::cell::{Cell, Kind};
use crate::source::decode::time::TimeReader;
use chrono::NaiveDate;

/// 2000-01-01T00:00:00Z, from which PostgreSQL counts.
const EPOCH: i64 = 946_684_800_000_000;
/// Clocks change their offset at such steps only.
const STEP: i64 = 15 * MINUTE;

/// How the times of a column come in the short form.
#[derive(Debug)]
pub struct ShortTime {
    dialect: Dialect,
    raw: String,
    kind: Kind,
    form: Form,
    /// How many bytes each takes, where that is the same for all.
    length: Option<usize>,
    reader: TimeReader,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// 8 bytes each, microseconds since 2000.
    Clock,
    /// 8 bytes each, the number itself.
    Number,
    /// Text, between separators unless all are equally long.
    Text,
    /// Whole numbers in digits between separators.
    Digits,
}

impl ShortTime {
    /// `None` where values of this kind have to be read one by one. `declared` is the column's type in the catalogue.
    pub fn new(
        dialect: Dialect,
        raw: &str,
        (kind, declared): (Kind, &str),
        axis: Axis,
        reader: &TimeReader,
    ) -> Option<Self> {
        let form = match (dialect, kind, axis) {
            (_, _, Axis::Whole) => return None,
            (Dialect::Postgres, Kind::Instant | Kind::Local, _) => Form::Clock,
            (Dialect::Postgres, Kind::Integer(..), _) => Form::Number,
            (Dialect::Mysql, Kind::Instant | Kind::Local, _)
            | (Dialect::Sqlite, Kind::Dynamic, Axis::Text) => Form::Text,
            (Dialect::Mysql, Kind::Integer(..), _) | (Dialect::Sqlite, Kind::Dynamic, Axis::Epoch { .. }) => {
                Form::Digits
            }
            _ => return None,
        };
        let length = match form {
            Form::Clock | Form::Number => Some(8),
            Form::Text if dialect == Dialect::Mysql => written_length(declared),
            Form::Text | Form::Digits => None,
        };
        Some(Self { dialect, raw: raw.to_owned(), kind, form, length, reader: reader.clone() })
    }

    /// What the server puts together.
    pub fn value(&self) -> String {
        match (self.form, self.kind) {
            (Form::Clock, Kind::Instant) => format!("timestamptz_send({})", self.raw),
            (Form::Clock, _) => format!("timestamp_send({})", self.raw),
            (Form::Number, _) => format!("int8send(({})::bigint)", self.raw),
            (Form::Text | Form::Digits, _) => self.raw.clone(),
        }
    }

    /// Which values have this form, beyond lying in the slice.
    pub fn fits(&self) -> Option<String> {
        let one_type = |name: &str| format!("typeof({}) = '{name}'", self.raw);
        match (self.dialect, self.form) {
            (Dialect::Sqlite, Form::Text) => Some(one_type("text")),
            (Dialect::Sqlite, _) => Some(one_type("integer")),
            _ => None,
        }
    }

    /// Whether another column of the same configuration comes in the same way.
    pub(super) fn is_like(&self, other: &Self) -> bool {
        let key = |times: &Self| (times.dialect, times.kind, times.form, times.length);
        self.raw == other.raw && key(self) == key(other)
    }

    /// How many bytes each piece takes, where that is the same for all.
    pub fn length(&self) -> Option<usize> {
        self.length
    }

    /// Reads the times of one answer.
    pub(super) fn clock(&self) -> Clock<'_> {
        Clock { times: self, day: [0; 10], midnight: 0, step: 0, behind: None, minute: None, begin: 0 }
    }
}

/// How long MySQL writes every value of a type: `datetime(6)` as `2026-03-02 10:00:00.123456`.
fn written_length(declared: &str) -> Option<usize> {
    let declared = declared.to_ascii_lowercase();
    let digits = match declared.strip_prefix("datetime").or_else(|| declared.strip_prefix("timestamp"))? {
        "" => 0,
        digits => digits.strip_prefix('(')?.strip_suffix(')')?.parse().ok()?,
    };
    let fraction = if digits == 0 { 0 } else { 1 + digits };
    Some("2026-03-02 10:00:00".len() + fraction)
}

/// Reads one value's times, of which neighbours have most in common.
pub(super) struct Clock<'s> {
    times: &'s ShortTime,
    /// The date that was read last, and its midnight on the clock.
    day: [u8; 10],
    midnight: i64,
    /// When the quarter of an hour on the clock began that was asked for last, and how much UTC is behind in all of it.
    step: i64,
    behind: Option<i64>,
    /// The minute that was read last as it is written, up to its seconds, and when it began.
    minute: Option<[u8; 17]>,
    begin: i64,
}

impl Clock<'_> {
    /// The instant of a piece; `None` if it is none.
    pub(super) fn instant(&mut self, piece: &[u8]) -> Option<Micros> {
        match self.times.form {
            Form::Clock => {
                let micros = i64::from_be_bytes(piece.try_into().ok()?).checked_add(EPOCH)?;
                self.on_clock(micros)
            }
            Form::Number => self.stamp(Cell::Integer(i64::from_be_bytes(piece.try_into().ok()?).into())),
            Form::Digits => self.stamp(Cell::Integer(std::str::from_utf8(piece).ok()?.parse().ok()?)),
            Form::Text => self.in_minute(piece).or_else(|| self.text(piece)),
        }
    }

    /// Of most times only the seconds differ from those of the one before.
    fn in_minute(&self, text: &[u8]) -> Option<Micros> {
        let (minute, rest) = text.split_first_chunk()?;
        (self.minute.as_ref() == Some(minute)).then(|| Some(Micros(self.begin + seconds(rest)?))).flatten()
    }

    fn text(&mut self, text: &[u8]) -> Option<Micros> {
        let Some(clock) = self.written(text) else { return self.stamp(Cell::Text(text)) };
        let at = self.on_clock(clock)?;
        // No quarter of an hour ends within a minute.
        if let Some((behind, minute)) = self.behind.zip(text.first_chunk()) {
            self.minute = Some(*minute);
            self.begin = clock.div_euclid(MINUTE) * MINUTE - behind;
        }
        Some(at)
    }

    fn stamp(&self, cell: Cell<'_>) -> Option<Micros> {
        self.times.reader.stamp(cell).ok().and_then(Stamp::at)
    }

    /// The instant at which the column's clock shows this.
    fn on_clock(&mut self, clock: i64) -> Option<Micros> {
        let cell = if self.times.kind == Kind::Instant { Cell::Instant } else { Cell::Local };
        if self.behind.is_none() || !(0..STEP).contains(&clock.saturating_sub(self.step)) {
            let step = clock.div_euclid(STEP).saturating_mul(STEP);
            self.step = step;
            let behind = |clock: i64| self.stamp(cell(clock)).map(|at| clock - at.0);
            // Where both ends are equally far from UTC, so is all between.
            let (first, last) = (behind(step), behind(step.saturating_add(STEP - 1)));
            self.behind = first.filter(|_| first == last);
        }
        match self.behind {
            Some(behind) => Some(Micros(clock - behind)),
            None => self.stamp(cell(clock)),
        }
    }

    /// `2026-03-02 10:00:00.123456`, as servers write it: what the clock shows, in microseconds. `None` for any other
    /// text, which need not be wrong.
    fn written(&mut self, text: &[u8]) -> Option<i64> {
        let (day, time) = text.split_at_checked(11)?;
        if day[..10] != self.day {
            self.midnight = midnight(day)?;
            self.day.copy_from_slice(&day[..10]);
        }
        let [h1, h2, b':', m1, m2, b':', rest @ ..] = time else { return None };
        let (hour, minute) = (two(*h1, *h2)?, two(*m1, *m2)?);
        let usual = hour < 24 && minute < 60 && matches!(day[10], b' ' | b'T');
        let seconds = seconds(rest)?;
        usual.then_some(self.midnight + hour * HOUR + minute * MINUTE + seconds)
    }
}

/// `00.123456`, with up to six digits behind the point or none, in microseconds.
fn seconds(text: &[u8]) -> Option<i64> {
    let [tens, ones, rest @ ..] = text else { return None };
    let second = two(*tens, *ones).filter(|second| *second < 60)?;
    let fraction = match rest {
        [] => 0,
        [b'.', digits @ ..] if (1..=6).contains(&digits.len()) => fraction(digits)?,
        _ => return None,
    };
    Some(second * SECOND + fraction)
}

fn two(tens: u8, ones: u8) -> Option<i64> {
    Some(digit(tens)? * 10 + digit(ones)?)
}

fn digit(byte: u8) -> Option<i64> {
    byte.is_ascii_digit().then(|| i64::from(byte - b'0'))
}

fn fraction(digits: &[u8]) -> Option<i64> {
    let micros = digits.iter().try_fold(0, |micros, byte| Some(micros * 10 + digit(*byte)?))?;
    (digits.len()..6).try_fold(micros, |micros, _| Some(micros * 10))
}

fn midnight(day: &[u8]) -> Option<i64> {
    let [y1, y2, y3, y4, b'-', m1, m2, b'-', d1, d2, ..] = day else { return None };
    let number =
        |digits: &[&u8]| digits.iter().try_fold(0, |number, byte| Some(number * 10 + digit(**byte)?));
    let small = |digits: &[&u8]| number(digits).and_then(|number: i64| u32::try_from(number).ok());
    let year = i32::try_from(number(&[y1, y2, y3, y4])?).ok()?;
    let date = NaiveDate::from_ymd_opt(year, small(&[m1, m2])?, small(&[d1, d2])?)?;
    let days = date.signed_duration_since(NaiveDate::default()).num_days();
    days.checked_mul(DAY)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::TimeFormat;
    use crate::model::Span;
    use chrono_tz::Tz;
    use proptest::prelude::*;

    fn times(kind: Kind, dialect: Dialect, zone: Tz) -> ShortTime {
        let usable = Span::new(Micros::EARLIEST_USABLE, Micros(4_000_000_000_000_000));
        let reader = TimeReader::new(&TimeFormat::Native, Some(zone), usable).unwrap();
        let axis = Axis::of(kind, &TimeFormat::Native, Some(zone), true, Micros(1_772_500_000_000_000));
        ShortTime::new(dialect, "t", (kind, ""), axis, &reader).unwrap()
    }

    proptest! {
        /// Row by row and in the short form a time is the same, whatever the zone makes of it.
        #[test]
        fn the_short_form_reads_what_rows_read(
            clocks in proptest::collection::vec(1_700_000_000_000_000_i64..1_800_000_000_000_000, 1..40),
            zone in proptest::sample::select(vec![Tz::UTC, Tz::Asia__Shanghai, Tz::America__New_York, Tz::Australia__Lord_Howe]),
            coarse in proptest::sample::select(vec![1, 1_000, SECOND, 10 * MINUTE]),
        ) {
            let clocks: Vec<i64> = clocks.into_iter().map(|clock| clock / coarse * coarse).collect();
            let local = times(Kind::Local, Dialect::Mysql, zone);
            let text = |clock: &i64| Micros(*clock).to_utc().format("%Y-%m-%d %H:%M:%S%.f").to_string();
            let text = clocks.iter().map(text).collect::<Vec<_>>().join("\x1f");
            let binary = times(Kind::Local, Dialect::Postgres, zone);
            let bytes: Vec<u8> = clocks.iter().flat_map(|clock| (clock - EPOCH).to_be_bytes()).collect();
            let expected: Vec<_> = clocks.iter().map(|clock| local.reader.stamp(Cell::Local(*clock)).unwrap().at()).collect();
            for (times, value) in [(&local, text.as_bytes()), (&binary, bytes.as_slice())] {
                let mut clock = times.clock();
                let pieces: Vec<&[u8]> = match times.length() {
                    Some(length) => value.chunks(length).collect(),
                    None => value.split(|byte| *byte == 0x1f).collect(),
                };
                let read: Vec<_> = pieces.into_iter().map(|piece| clock.instant(piece)).collect();
                prop_assert_eq!(&read, &expected);
            }
        }

        /// What a catalogue calls a type says how long its values are written.
        #[test]
        fn times_of_one_type_are_equally_long(digits in 0_usize..=6, at in 0_i64..1_800_000_000_000_000) {
            let written = Micros(at).to_utc().format("%Y-%m-%d %H:%M:%S.%6f").to_string();
            let (declared, length) = if digits == 0 { ("datetime".to_owned(), 19) } else { (format!("TIMESTAMP({digits})"), 20 + digits) };
            prop_assert_eq!(written_length(&declared), Some(written[..length].len()));
        }

        #[test]
        fn no_text_makes_it_panic(text in "[0-9 :.T-]{0,30}|\\PC{0,20}") {
            let local = times(Kind::Local, Dialect::Mysql, Tz::UTC);
            let mut clock = local.clock();
            let short = clock.instant(text.as_bytes());
            prop_assert!(short.is_none() || short == local.reader.stamp(Cell::Text(text.as_bytes())).unwrap().at());
        }
    }
}
