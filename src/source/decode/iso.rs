//! ISO 8601 date-times, without an allocation: `2026-03-02T10:00:00.123Z`, `2026-03-02 18:00:00+08:00`.

use crate::model::time::{MINUTE, SECOND};
use chrono::{NaiveDate, NaiveTime};

/// A date-time as written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    /// Microseconds since 1970 on the clock that wrote it.
    pub clock: i64,
    /// Microseconds that this clock is ahead of UTC, where the text says so.
    pub offset: Option<i64>,
}

/// Reads a whole text; `None` if it is anything but a date with a time of day.
pub fn parse(text: &[u8]) -> Option<Written> {
    let mut rest = text.trim_ascii();
    let year = i32::try_from(digits(&mut rest, 4)?).ok()?;
    let month = after(&mut rest, b"-")?.two()?;
    let day = after(&mut rest, b"-")?.two()?;
    let hour = after(&mut rest, b"Tt ")?.two()?;
    let minute = after(&mut rest, b":")?.two()?;
    let (second, micros) = seconds(&mut rest)?;
    let offset = offset(rest.trim_ascii())?;
    // A leap second is the first of the next minute.
    let (whole, leap) = if second == 60 { (59, SECOND) } else { (second, 0) };
    let clock = NaiveDate::from_ymd_opt(year, month, day)?
        .and_time(NaiveTime::from_hms_opt(hour, minute, whole)?)
        .and_utc()
        .timestamp_micros();
    Some(Written { clock: clock + leap + micros, offset })
}

struct Rest<'a, 'b>(&'b mut &'a [u8]);

impl Rest<'_, '_> {
    fn two(self) -> Option<u32> {
        digits(self.0, 2)
    }
}

fn after<'a, 'b>(rest: &'b mut &'a [u8], marks: &[u8]) -> Option<Rest<'a, 'b>> {
    let (mark, tail) = rest.split_first()?;
    marks.contains(mark).then_some(())?;
    *rest = tail;
    Some(Rest(rest))
}

fn digits(rest: &mut &[u8], count: usize) -> Option<u32> {
    let (head, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    head.iter()
        .try_fold(0, |number, digit| digit.is_ascii_digit().then(|| number * 10 + u32::from(digit - b'0')))
}

/// Seconds and the microseconds of their fraction; both are 0 where the text ends with the minute.
fn seconds(rest: &mut &[u8]) -> Option<(u32, i64)> {
    if after(rest, b":").is_none() {
        return Some((0, 0));
    }
    let second = digits(rest, 2)?;
    if after(rest, b".,").is_none() {
        return Some((second, 0));
    }
    let count = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
    let (fraction, tail) = rest.split_at_checked(count)?;
    *rest = tail;
    let padded = fraction.iter().copied().chain(std::iter::repeat(b'0')).take(6);
    let micros = padded.fold(0, |micros, digit| micros * 10 + i64::from(digit - b'0'));
    (count > 0).then_some((second, micros))
}

/// `Some(None)`: there is none; `None`: there is something that is none.
#[expect(clippy::option_option, reason = "no offset and no sense are two things")]
fn offset(text: &[u8]) -> Option<Option<i64>> {
    let (sign, mut rest) = match text {
        [] => return Some(None),
        [b'Z' | b'z'] => return Some(Some(0)),
        [b'+', rest @ ..] => (1, rest),
        [b'-', rest @ ..] => (-1, rest),
        _ => return None,
    };
    let hours = digits(&mut rest, 2)?;
    after(&mut rest, b":");
    let minutes = if rest.is_empty() { 0 } else { digits(&mut rest, 2)? };
    let sane = rest.is_empty() && hours < 24 && minutes < 60;
    sane.then(|| Some(sign * i64::from(hours * 60 + minutes) * MINUTE))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn common_spellings_are_read() {
        let ten = 1_772_445_600_000_000;
        let hours = |n: i64| n * 60 * MINUTE;
        let cases = [
            ("2026-03-02 10:00:00", ten, None),
            ("2026-03-02T10:00:00Z", ten, Some(0)),
            ("2026-03-02T18:00:00+08:00", ten + hours(8), Some(hours(8))),
            ("2026-03-02 10:00:00.123456", ten + 123_456, None),
            ("2026-03-02 10:00:00.123456789", ten + 123_456, None),
            ("2026-03-02 10:00:00,5 +00", ten + 500_000, Some(0)),
            ("2026-03-02T10:00", ten, None),
            ("2026-03-02 05:00:00-0500", ten - hours(5), Some(-hours(5))),
            ("2026-03-02 09:59:60", ten, None),
        ];
        for (text, clock, offset) in cases {
            assert_eq!(parse(text.as_bytes()), Some(Written { clock, offset }), "{text}");
        }
    }

    #[test]
    fn anything_else_is_refused() {
        for text in [
            "",
            "yesterday",
            "2026-03-02",
            "2026-02-30 10:00:00",
            "2026-03-02 25:00:00",
            "2026-3-2 10:00:00",
            "2026-03-02 10:00:00 CET",
            "2026-03-02 10:00:00+8",
            "2026-03-02 10:00:00.",
            "0000-00-00 00:00:00",
            "2026-03-02 10:00:00+99:00",
        ] {
            assert_eq!(parse(text.as_bytes()), None, "{text}");
        }
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            parse(&bytes);
        }

        #[test]
        fn nothing_like_a_time_makes_it_panic(text in "[0-9]{0,5}-[0-9]{0,3}-[0-9]{0,3}[T ]?[0-9:.,+Z-]{0,30}") {
            parse(text.as_bytes());
        }
    }
}
