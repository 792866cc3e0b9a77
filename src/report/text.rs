//! Words and numbers for people: nothing that a source can hold changes how a report reads.

use crate::language::Language;
use crate::model::Micros;
use crate::model::time::{DAY, HOUR, MINUTE, SECOND, human};
use crate::model::window::label;
use chrono_tz::Tz;
use std::time::Duration;

/// Printed where a layout cannot show a kind; never 0.
pub const NOT_DECIDABLE: &str = "not decidable";
/// Printed where a source gave nothing; never 0.
pub const NOT_READ: &str = "could not be read";

/// `text` with everything written out that a reader could not see or would take for something else: control and
/// zero-width characters, bidi overrides, unusual blanks, combining marks (`\u{301}`), and letters that look like
/// others. A terminal prints it without being steered by it.
#[must_use]
pub fn visible(text: &str) -> String {
    written_out(text, false)
}

/// [`visible`], with backslashes doubled so that no two texts give the same result, and texts of more than `max`
/// characters cut in the middle. A cut text is longer than `max` and ends in a hash of the whole, so that it is
/// neither mistaken for a short one nor for another that was cut at the same places.
#[must_use]
pub fn exact(text: &str, max: usize) -> String {
    let shown = written_out(text, true);
    if shown.chars().count() <= max { shown } else { cut(&shown, max, short_hash(text.as_bytes())) }
}

fn written_out(text: &str, backslashes: bool) -> String {
    let latin = text.bytes().any(|byte| byte.is_ascii_alphabetic());
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\\' if backslashes => out.push_str("\\\\"),
            ' '..='~' => out.push(c),
            _ if deceives(c, latin) => out.extend(c.escape_unicode()),
            _ => out.push(c),
        }
    }
    out
}

/// Whether `c` is unseen, or seen as another character; `latin` says that ASCII letters stand beside it.
fn deceives(c: char, latin: bool) -> bool {
    let unseen = c.escape_debug().len() > 1;
    // Jamo and compatibility ideographs have composed twins; the Kelvin, Ohm and Ångström signs are letters.
    let twin = matches!(c,
        '\u{1100}'..='\u{11ff}' | '\u{3130}'..='\u{318f}' | '\u{a960}'..='\u{a97f}' | '\u{d7b0}'..='\u{d7ff}'
        | '\u{ffa0}' | '\u{2126}' | '\u{212a}' | '\u{212b}' | '\u{f900}'..='\u{faff}' | '\u{2f800}'..='\u{2fa1f}');
    // Greek and Cyrillic letters amid Latin ones; alone they are a language.
    let foreign = latin && matches!(c, '\u{370}'..='\u{52f}');
    unseen || twin || foreign
}

fn cut(shown: &str, max: usize, hash: u32) -> String {
    // One character more than `max`: head, mark, tail, blank, `#`, eight digits.
    let tail = max.saturating_sub(10) / 3;
    let head = max.saturating_sub(10).saturating_sub(tail);
    let start: String = shown.chars().take(head).collect();
    let skip = shown.chars().count().saturating_sub(tail);
    let end: String = shown.chars().skip(skip).collect();
    format!("{start}…{end} #{hash:08x}")
}

/// FNV-1a over the bytes, folded to 32 bits: the same in every version and on every machine.
fn short_hash(bytes: &[u8]) -> u32 {
    let hash = bytes.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    u32::try_from((hash >> 32) ^ (hash & 0xffff_ffff)).unwrap_or(u32::MAX)
}

/// `1234567` as `1,234,567`.
#[must_use]
pub fn grouped(number: i64) -> String {
    let digits = number.unsigned_abs().to_string();
    let mut out = if number < 0 { "-".to_owned() } else { String::new() };
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// `1 window`, `2 windows`.
#[must_use]
pub fn plural(count: u64, noun: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{} {noun}{s}", grouped(count.cast_signed()))
}

/// How messages are counted, for [`several`].
pub const MESSAGES: [&str; 2] = ["{0} message", "{0} messages"];
/// How windows are counted.
pub const WINDOWS: [&str; 2] = ["{0} window", "{0} windows"];

/// The phrase of one or the phrase of several, as the count is, with the count for its `{0}`.
#[must_use]
pub fn several(count: u64, forms: [&str; 2], language: Language) -> String {
    language.fill(language.pick(count, forms), &[&grouped(count.cast_signed())])
}

/// Seconds as a person would say them.
#[must_use]
pub fn seconds(seconds: f64) -> String {
    let micros = Duration::try_from_secs_f64(seconds)
        .map_or(i64::MAX, |span| i64::try_from(span.as_micros()).unwrap_or(i64::MAX));
    human(micros)
}

/// An age as a person would say it: whole seconds below a minute are enough.
#[must_use]
pub fn age(micros: i64) -> String {
    if micros.abs() >= SECOND && micros.abs() < MINUTE {
        human(micros - micros % SECOND)
    } else {
        human(micros)
    }
}

/// The local time with its offset, to the second: enough for a person, exact in the files for machines.
#[must_use]
pub fn local(at: Micros, zone: Tz) -> String {
    label(Micros(at.0 - at.0.rem_euclid(SECOND)), zone)
}

/// A span's length; below three days in hours, for a local day may have 23 or 25 of them.
#[must_use]
pub fn length(micros: i64) -> String {
    if micros % HOUR == 0 && micros < 3 * DAY { format!("{}h", micros / HOUR) } else { human(micros) }
}

/// `text` broken between words into lines of at most `width` characters, each behind `indent` blanks.
#[must_use]
pub fn fill(text: &str, indent: usize, width: usize) -> String {
    broken(text.split_whitespace(), " ", indent, width)
}

/// `parts` with dots between them, broken between parts only.
#[must_use]
pub fn fill_parts(parts: &[String], indent: usize, width: usize) -> String {
    broken(parts.iter().map(String::as_str), " · ", indent, width)
}

fn broken<'a>(parts: impl Iterator<Item = &'a str>, between: &str, indent: usize, width: usize) -> String {
    let blanks = " ".repeat(indent);
    let mut lines: Vec<String> = Vec::new();
    let mut length = usize::MAX;
    for part in parts {
        let size = part.chars().count();
        let longer = length.saturating_add(between.chars().count() + size);
        match lines.last_mut() {
            Some(line) if longer <= width => {
                line.push_str(between);
                line.push_str(part);
                length = longer;
            }
            _ => {
                lines.push(format!("{blanks}{part}"));
                length = indent + size;
            }
        }
    }
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_cannot_be_seen_is_written_out() {
        let cases = [
            ("plain id-1", "plain id-1"),
            ("\u{1b}[31mred", "\\u{1b}[31mred"),
            ("a\nb\r\0", "a\\u{a}b\\u{d}\\u{0}"),
            ("caf\u{e9}", "caf\u{e9}"),
            ("cafe\u{301}", "cafe\\u{301}"),
            ("a\u{200b}b\u{202e}c\u{feff}\u{a0}", "a\\u{200b}b\\u{202e}c\\u{feff}\\u{a0}"),
            ("订单-1", "订单-1"),
            ("p\u{430}y", "p\\u{430}y"),
            ("заказ", "заказ"),
            ("\u{85}\u{9b}31m", "\\u{85}\\u{9b}31m"),
            ("\u{1112}\u{1161}", "\\u{1112}\\u{1161}"),
        ];
        for (text, shown) in cases {
            assert_eq!(visible(text), shown);
        }
        assert_eq!(exact("\\u{1b}", 60), "\\\\u{1b}");
        assert_ne!(exact("\\u{1b}", 60), exact("\u{1b}", 60));
    }

    #[test]
    fn long_texts_are_cut_and_stay_apart() {
        let (one, two) =
            (format!("{}1{}", "a".repeat(150), "b".repeat(150)), "a".repeat(150) + &"b".repeat(151));
        let (first, second) = (exact(&one, 60), exact(&two, 60));
        assert_ne!(first, second);
        assert_eq!(first.chars().count(), 61);
        assert_eq!(exact(&first, 60).chars().count(), 61, "a short id cannot look like a cut one");
        assert_eq!(exact(&"x".repeat(60), 60), "x".repeat(60));
    }

    #[test]
    fn numbers_and_lines_read_well() {
        assert_eq!(grouped(-1_234_567), "-1,234,567");
        assert_eq!((grouped(0), grouped(999), grouped(1000)), ("0".into(), "999".into(), "1,000".into()));
        assert_eq!((plural(1, "window"), plural(0, "window")), ("1 window".into(), "0 windows".into()));
        assert_eq!((seconds(1.5), seconds(7200.0)), ("1.5s".into(), "2h".into()));
        assert_eq!(fill("one two  three", 2, 9), "  one two\n  three");
        assert_eq!(
            fill_parts(&["one two".into(), "three".into(), "four".into()], 2, 18),
            "  one two · three\n  four"
        );
        assert_eq!(age(22_400_000), "22s");
        assert_eq!((length(25 * HOUR), length(5 * DAY)), ("25h".into(), "5d".into()));
    }

    proptest! {
        #[test]
        fn two_texts_never_look_the_same(one in any::<String>(), two in any::<String>()) {
            prop_assert_eq!(exact(&one, 60) == exact(&two, 60), one == two);
            prop_assert!(!exact(&one, 60).chars().any(char::is_control));
        }
    }
}
