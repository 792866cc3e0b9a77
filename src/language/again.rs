//! Texts that were put into English before anybody knew the reader's language (evidence, hints, measured values: the run
//! and the ledger keep them so), said again in another language.
//!
//! Each is recognised by its pattern in `said.toml`: what stands in a pattern's places is carried over, and what in the
//! translation stands in `{0+}` is said again too. What no pattern fits stays as it is: it quotes a server, or a person.

use super::{CHINESE, Language, filled, next_place};
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::LazyLock;

const SAID: &str = include_str!("zh-CN/said.toml");

/// Pieces of evidence are joined by this.
const JOINT: &str = "; ";

/// What durations are written with, and the text that says the same.
const UNITS: [(&str, &str); 6] =
    [("d", "{0}d"), ("h", "{0}h"), ("m", "{0}m"), ("s", "{0}s"), ("ms", "{0}ms"), ("µs", "{0}µs")];

/// A pattern: what stands before, between and behind its places, and its translation.
struct Pattern {
    pieces: Vec<String>,
    chinese: String,
}

/// Those with the longest words first, so that the closest one is found.
static PATTERNS: LazyLock<Vec<Pattern>> = LazyLock::new(|| {
    let texts: HashMap<String, String> = toml::from_str(SAID).unwrap_or_default();
    let mut patterns: Vec<_> =
        texts.into_iter().map(|(english, chinese)| Pattern { pieces: pieces(&english), chinese }).collect();
    patterns.sort_by_cached_key(|one| (usize::MAX - one.pieces.concat().len(), one.pieces.clone()));
    patterns
});

impl Language {
    /// An English text that a run or a ledger holds, in this language; as it is where it is not recognised.
    #[must_use]
    pub fn say_again(self, english: &str) -> Cow<'_, str> {
        if self == Self::En {
            return Cow::Borrowed(english);
        }
        whole(english).or_else(|| joined(english)).map_or(Cow::Borrowed(english), Cow::Owned)
    }

    /// A duration such as `2h 5m` in this language; as it is where it is none.
    #[must_use]
    pub fn duration(self, english: &str) -> Cow<'_, str> {
        if self == Self::En {
            return Cow::Borrowed(english);
        }
        duration(english).map_or(Cow::Borrowed(english), Cow::Owned)
    }
}

/// What stands around the places of a pattern: one piece more than there are places.
fn pieces(pattern: &str) -> Vec<String> {
    let mut pieces = Vec::new();
    let mut rest = pattern;
    while let Some((before, _, after)) = next_place(rest) {
        pieces.push(before.to_owned());
        rest = after;
    }
    pieces.push(rest.to_owned());
    pieces
}

fn whole(english: &str) -> Option<String> {
    let found = PATTERNS.iter().find_map(|one| Some((one, values(&one.pieces, english)?)));
    found.map(|(pattern, values)| told(&pattern.chinese, &values)).or_else(|| duration(english))
}

/// What stands in the places, if the text has all the pieces. Only behind a colon at the end may a joint stand in one:
/// those are the words of somebody else.
fn values<'a>(pieces: &[String], english: &'a str) -> Option<Vec<&'a str>> {
    let (first, rest) = pieces.split_first()?;
    let mut left = english.strip_prefix(first.as_str())?;
    let mut values = Vec::with_capacity(rest.len());
    for (place, (before, piece)) in pieces.iter().zip(rest).enumerate() {
        let last = place + 1 == rest.len();
        let at = match (last, piece.as_str()) {
            (true, "") => left.len(),
            (true, piece) => left.strip_suffix(piece)?.len(),
            (false, piece) => left.find(piece)?,
        };
        let open = last && piece.is_empty() && before.ends_with(": ");
        values.push(left.get(..at).filter(|value| !value.is_empty() && (open || !value.contains(JOINT)))?);
        left = left.get(at + piece.len()..)?;
    }
    left.is_empty().then_some(values)
}

/// The translation with its values; those in `{0+}` are said again.
fn told(chinese: &str, values: &[&str]) -> String {
    let value = |place: usize| values.get(place).copied().unwrap_or_default();
    let again = |place: usize| {
        let known = || CHINESE.get(value(place)).cloned().unwrap_or_else(|| value(place).to_owned());
        whole(value(place)).unwrap_or_else(known)
    };
    let mut text = String::new();
    let mut rest = chinese;
    // `{0+}` is no place to `next_place`; it is looked for around the places that are.
    while let Some((before, place, after)) = next_again(rest) {
        text.push_str(&filled(before, value));
        text.push_str(&again(place));
        rest = after;
    }
    text + &filled(rest, value)
}

/// The first `{digit+}`: what is before it, which one, what is after it.
fn next_again(text: &str) -> Option<(&str, usize, &str)> {
    let (before, after) = text.split_once("+}")?;
    let (before, digit) = before.rsplit_once('{')?;
    Some((before, digit.parse().ok()?, after))
}

/// Evidence of several pieces: as many of them as are recognised, from the first on.
fn joined(english: &str) -> Option<String> {
    let (head, rest) = english.split_once(JOINT)?;
    let head = whole(head)?;
    Some(match whole(rest).or_else(|| joined(rest)) {
        Some(rest) => format!("{head}；{rest}"),
        None => format!("{head}{JOINT}{rest}"),
    })
}

fn duration(english: &str) -> Option<String> {
    let parts: Option<Vec<_>> = english.split(' ').map(measure).collect();
    parts.map(|parts| parts.join(" "))
}

fn measure(part: &str) -> Option<String> {
    let unit = part.trim_start_matches(|c: char| c.is_ascii_digit() || matches!(c, '.' | ',' | '-'));
    let number = part.strip_suffix(unit).filter(|number| number.bytes().any(|byte| byte.is_ascii_digit()))?;
    let (_, text) = UNITS.iter().find(|(name, _)| *name == unit)?;
    Some(Language::ZhCn.fill(text, &[number]))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn said(english: &str) -> String {
        let chinese = Language::ZhCn.say_again(english).into_owned();
        assert_eq!(Language::En.say_again(english), english);
        chinese
    }

    #[test]
    fn evidence_is_said_again_piece_by_piece() {
        let cases = [
            ("2 receipts; the last 3m 5s after the first", "2 条消费记录；首末两条相隔 3 分钟 5 秒"),
            ("consumed 1h 2m after the ack", "确认后 1 小时 2 分钟才消费"),
            ("the event table says pending; its dead letter is still open", "事件表为待发送；其死信仍未关闭"),
            ("the ack time is unusable; state failed", "确认时间不可用；状态：发送失败"),
            ("acked at 2026-03-02T10:00:00Z", "已于 2026-03-02T10:00:00Z 确认"),
            ("0.100% (5 of 5000)", "0.100%（5000 条中的 5 条）"),
            ("22h", "22 小时"),
        ];
        for (english, chinese) in cases {
            assert_eq!(said(english), chinese);
        }
    }

    #[test]
    fn words_of_others_stay_as_they_are() {
        for text in ["", "timeout", "9 lives", "2 receipts, no more", "= 1; 2", "{0}", "a; 2 receipts"] {
            assert_eq!(said(text), text);
        }
        assert_eq!(said("dead letter: a; 2 receipts"), "死信：a; 2 receipts");
        assert_eq!(said("2 receipts; dead letter: no receipts"), "2 条消费记录；死信：no receipts");
        assert_eq!(said("3 event rows; whatever {0+}"), "事件表中有 3 行; whatever {0+}");
        assert_eq!(said("dead letter: {0+} {1}"), "死信：{0+} {1}");
    }

    #[test]
    fn hints_are_said_again_with_their_names() {
        assert_eq!(
            said(
                "`points`: 10 of 12 missing, all acked within 2s at 2026-03-02T10:00:00Z: one lost batch, or a consumer \
                 that was down or skipped offsets"
            ),
            "`points`：12 条 missing 丢失中有 10 条，均在自 2026-03-02T10:00:00Z 起的 2 秒内已确认：可能是丢了一个批次，或者\
             消费端停机、跳过了位点"
        );
        assert_eq!(
            said(
                "`acked`: nearly all ids differ, but they become equal without the blanks around them: one side pads"
            ),
            "`acked`：两边的 id 几乎全都对不上，但去掉首尾空白（有一边补了空白）就能对上"
        );
    }

    #[test]
    fn every_pattern_has_the_places_of_its_translation() {
        let texts: HashMap<String, String> = toml::from_str(SAID).unwrap();
        assert_eq!(PATTERNS.len(), texts.len());
        for (english, chinese) in texts {
            let plain = chinese.replace("+}", "}");
            let count = pieces(&english).len() - 1;
            for place in 0..10 {
                let named = plain.contains(&format!("{{{place}}}"));
                assert_eq!(named, place < count, "{english}: {{{place}}}");
                assert_eq!(english.contains(&format!("{{{place}}}")), place < count, "{english}");
            }
        }
    }
}
