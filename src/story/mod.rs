//! A story: message histories as text, for the demo and for tests.
//!
//! One line a fact; a story says what happened and what msgrecon must make of it:
//!
//! ```text
//! day     2026-03-02                       # times below are of this day, in UTC
//! event   m1  acked    10:00:00  10:00:01  # id, state, created, acked (`-`: NULL)
//! event   m2  pending  10:00:00  -         attempts=3
//! receipt m1  points   10:00:02            # id, consumer, consumed
//! dead    m3  points   10:05:00            reason=timeout closed=10:30:00
//! want    m1  points   ok                  # id, consumer (`-`: the producer alone), kind
//! ```
//!
//! An id in double quotes is a JSON string, so that it may hold anything. A state other than `acked`, `pending` and
//! `failed` stands in the table as it is and no rule names it. `receipt … original=m1` was re-driven under a new id.

mod sql;

pub use sql::{Half, Layout, statements};

use crate::model::time::SECOND;
use crate::model::{Kind, Micros};
use chrono::{DateTime, NaiveDate, NaiveTime};

/// Everything that happened, and what must be found.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Story {
    /// Rows of the event table.
    pub events: Vec<EventLine>,
    /// Rows of the dedup table that all consumers share.
    pub receipts: Vec<ReceiptLine>,
    /// Rows of the dead-letter table that all consumers share.
    pub dead_letters: Vec<DeadLine>,
    /// What must be found.
    pub wants: Vec<Want>,
}

/// A row of the event table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EventLine {
    /// Message id; `None` is NULL.
    pub id: Option<String>,
    /// As it stands in the table.
    pub state: String,
    /// NULL where `None`.
    pub created: Option<Micros>,
    /// NULL where `None`.
    pub acked: Option<Micros>,
    /// The relay's attempts.
    pub attempts: u32,
    /// What sort of event it is; consumers may expect only some.
    pub sort: String,
}

/// A row of the dedup table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ReceiptLine {
    /// Message id; `None` is NULL.
    pub id: Option<String>,
    /// The consumer's name.
    pub consumer: String,
    /// NULL where `None`.
    pub consumed: Option<Micros>,
    /// Of a message that was re-driven under a new id.
    pub original: Option<String>,
}

/// A row of the dead-letter table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLine {
    /// Message id.
    pub id: String,
    /// The consumer's name.
    pub consumer: String,
    /// When it gave up.
    pub dead: Micros,
    /// Written off at.
    pub closed: Option<Micros>,
    /// Why.
    pub reason: String,
}

/// One verdict that must be found.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Want {
    /// Message id.
    pub id: String,
    /// `None`: the producer alone.
    pub consumer: Option<String>,
    /// The verdict.
    pub kind: Kind,
}

/// A line that is no line of a story.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error("story line {line}: {message}")]
pub struct StoryError {
    /// From 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl Story {
    /// Reads a story.
    ///
    /// # Errors
    /// The first line that cannot be read.
    pub fn parse(text: &str) -> Result<Self, StoryError> {
        let mut story = Self::default();
        let mut day = NaiveDate::default();
        for (number, line) in text.lines().enumerate() {
            let words = words(line);
            story.line(&words, &mut day).map_err(|message| StoryError { line: number + 1, message })?;
        }
        Ok(story)
    }

    fn line(&mut self, words: &[String], day: &mut NaiveDate) -> Result<(), String> {
        let Some((verb, rest)) = words.split_first() else { return Ok(()) };
        let (options, plain): (Vec<_>, Vec<_>) = rest.iter().partition(|word| is_option(word));
        let option = |name: &str| {
            let value = options.iter().find_map(|word| word.strip_prefix(name)?.strip_prefix('='));
            value.map(unquoted).transpose()
        };
        let fields: Vec<&str> = plain.iter().map(|word| word.as_str()).collect();
        match (verb.as_str(), fields.as_slice()) {
            ("day", [date]) => *day = date.parse().map_err(|_| format!("`{date}` is no date"))?,
            ("event", [id, state, created, acked]) => self.events.push(EventLine {
                id: optional(id)?,
                state: (*state).to_owned(),
                created: instant(created, *day)?,
                acked: instant(acked, *day)?,
                attempts: option("attempts")?
                    .map_or(Ok(0), |n| n.parse())
                    .map_err(|_| "`attempts` is no number")?,
                sort: option("sort")?.unwrap_or_else(|| "paid".to_owned()),
            }),
            ("receipt", [id, consumer, at]) => self.receipts.push(ReceiptLine {
                id: optional(id)?,
                consumer: (*consumer).to_owned(),
                consumed: instant(at, *day)?,
                original: option("original")?,
            }),
            ("dead", [id, consumer, dead]) => self.dead_letters.push(DeadLine {
                id: unquoted(id)?,
                consumer: (*consumer).to_owned(),
                dead: instant(dead, *day)?.ok_or("a dead letter needs a time")?,
                closed: option("closed")?.map_or(Ok(None), |at| instant(&at, *day))?,
                reason: option("reason")?.unwrap_or_else(|| "timeout".to_owned()),
            }),
            ("want", [id, consumer, kind]) => self.wants.push(Want {
                id: unquoted(id)?,
                consumer: optional(consumer)?,
                kind: Kind::from_name(kind).ok_or_else(|| format!("`{kind}` is no kind"))?,
            }),
            _ => return Err(format!("`{verb}` with {} fields is not understood", fields.len())),
        }
        Ok(())
    }

    /// The story as it looks in the tables of one consumer alone.
    #[must_use]
    pub fn of_consumer(&self, consumer: &str) -> Self {
        let mut own = self.clone();
        own.receipts.retain(|row| row.consumer == consumer);
        own.dead_letters.retain(|row| row.consumer == consumer);
        own
    }

    /// The wants that name a difference, sorted: what `differences` must list.
    #[must_use]
    pub fn wanted_differences(&self) -> Vec<Want> {
        let mut wants: Vec<_> = self.wants.iter().filter(|want| want.kind.is_difference()).cloned().collect();
        wants.sort();
        wants
    }
}

fn is_option(word: &str) -> bool {
    ["attempts=", "sort=", "original=", "closed=", "reason="].iter().any(|name| word.starts_with(name))
}

/// Words parted by blanks; a word in double quotes may hold blanks; `#` begins a comment.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut escaped) = (String::new(), false, false);
    for letter in line.chars() {
        match letter {
            '#' if !quoted && word.is_empty() => break,
            _ if letter.is_whitespace() && !quoted => {
                if !word.is_empty() {
                    words.push(std::mem::take(&mut word));
                }
                continue;
            }
            '"' if !escaped => quoted = !quoted,
            _ => {}
        }
        escaped = quoted && letter == '\\' && !escaped;
        word.push(letter);
    }
    if !word.is_empty() {
        words.push(word);
    }
    words
}

fn unquoted(word: &str) -> Result<String, String> {
    if word.starts_with('"') {
        return serde_json::from_str(word).map_err(|_| format!("{word} is no JSON string"));
    }
    Ok(word.to_owned())
}

fn optional(word: &str) -> Result<Option<String>, String> {
    if word == "-" { Ok(None) } else { unquoted(word).map(Some) }
}

/// `-`, a time of `day` in UTC, or RFC 3339.
fn instant(word: &str, day: NaiveDate) -> Result<Option<Micros>, String> {
    if word == "-" {
        return Ok(None);
    }
    if let Ok(at) = DateTime::parse_from_rfc3339(word) {
        return Ok(Some(Micros(at.timestamp_micros())));
    }
    let time: NaiveTime = word.parse().map_err(|_| format!("`{word}` is no time"))?;
    Ok(Some(Micros(day.and_time(time).and_utc().timestamp() * SECOND).plus(micros_of(time))))
}

fn micros_of(time: NaiveTime) -> i64 {
    use chrono::Timelike as _;
    i64::from(time.nanosecond() / 1_000)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_story_is_read_line_by_line() {
        let story = Story::parse(
            "day 2026-03-02\nevent m1 acked 10:00:00 10:00:01.5 attempts=2 # a remark\n\
             receipt \"a \\\"b\" points 2026-03-02T10:00:02Z original=m1\ndead m3 points 10:05:00 reason=\"no such user\"\n\
             want m1 - stuck\n\n# nothing else\n",
        )
        .unwrap();
        assert_eq!(story.events[0].acked.unwrap().to_rfc3339(), "2026-03-02T10:00:01.500Z");
        assert_eq!(story.events[0].attempts, 2);
        assert_eq!(story.receipts[0].id.as_deref(), Some("a \"b"));
        assert_eq!(story.receipts[0].original.as_deref(), Some("m1"));
        assert_eq!(story.dead_letters[0].reason, "no such user");
        assert_eq!(story.wanted_differences(), [Want { id: "m1".into(), consumer: None, kind: Kind::Stuck }]);
    }

    #[test]
    fn a_wrong_line_is_named() {
        for (text, message) in [
            ("\nevent m1", "story line 2: `event` with 1 fields is not understood"),
            ("event m1 acked noon -", "story line 1: `noon` is no time"),
            ("want m1 points gone", "story line 1: `gone` is no kind"),
        ] {
            assert_eq!(Story::parse(text).unwrap_err().to_string(), message);
        }
    }
}
