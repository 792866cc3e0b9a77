//! The five fields of a crontab.

use super::timing::TimingError;
use std::fmt;

const DAY_MINUTES: i64 = 24 * 60;

/// Name, least and greatest value of each field.
const FIELDS: [(&str, u32, u32); 5] = [
    ("minute", 0, 59),
    ("hour", 0, 23),
    ("day of the month", 1, 31),
    ("month", 1, 12),
    ("day of the week", 0, 7),
];

const MONTHS: [&str; 12] =
    ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const DAYS: [&str; 7] = ["sun", "mon", "tue", "wed", "thu", "fri", "sat"];

/// When something starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Expression {
    /// As it was given.
    text: String,
    /// Sorted values of each field; empty where any will do.
    fields: [Vec<u32>; 5],
}

impl Expression {
    /// Five fields of numbers, names, lists, ranges and steps.
    pub(super) fn parse(text: &str) -> Result<Self, TimingError> {
        let words: Vec<_> = text.split_whitespace().collect();
        let wrong = |what: String| TimingError(format!("--cron \"{text}\": {what}"));
        if words.len() != FIELDS.len() {
            let message = "needs five fields: minute, hour, day of the month, month, day of the week";
            return Err(wrong(format!("{message}, such as \"5 * * * *\"")));
        }
        let mut fields: [Vec<u32>; 5] = Default::default();
        for (place, word) in words.iter().enumerate() {
            let name = FIELDS[place].0;
            let values = field(word, place).ok_or_else(|| {
                wrong(format!("`{word}` is no {name}; {} to {} are", FIELDS[place].1, FIELDS[place].2))
            })?;
            fields[place] = values;
        }
        Ok(Self { text: words.join(" "), fields })
    }

    /// Every so many minutes, which divide the hour or the day; `offset` minutes after midnight, and on from there.
    pub(super) fn regular(every: i64, offset: i64) -> Self {
        let offset = offset.rem_euclid(every);
        let starts: Vec<_> = (0..DAY_MINUTES / every).map(|count| offset + count * every).collect();
        let set = |values: Vec<i64>| {
            let mut values: Vec<_> =
                values.into_iter().filter_map(|value| u32::try_from(value).ok()).collect();
            values.sort_unstable();
            values.dedup();
            values
        };
        let minutes = set(starts.iter().map(|start| start % 60).collect());
        let hours = set(starts.iter().map(|start| start / 60).collect());
        let hours = if hours.len() == 24 { Vec::new() } else { hours };
        let text = format!("{} {} * * *", list(&minutes, ""), list(&hours, ""));
        Self { text, fields: [minutes, hours, Vec::new(), Vec::new(), Vec::new()] }
    }

    /// The first minute of an hour at which it starts.
    pub(super) fn first_minute(&self) -> i64 {
        self.fields[0].first().copied().unwrap_or(0).into()
    }

    /// The shortest time from one start to the next, in minutes; rather too short where days are picked in several ways.
    pub(super) fn interval(&self) -> i64 {
        let [minutes, hours, ..] = &self.fields;
        let all =
            |values: &[u32], until| if values.is_empty() { (0..until).collect() } else { values.to_vec() };
        let (minutes, hours): (Vec<u32>, Vec<u32>) = (all(minutes, 60), all(hours, 24));
        let starts: Vec<i64> = hours
            .iter()
            .flat_map(|hour| minutes.iter().map(move |minute| i64::from(hour * 60 + minute)))
            .collect();
        let over_night =
            starts.first().zip(starts.last()).map(|(first, last)| self.days() * DAY_MINUTES + first - last);
        starts.windows(2).map(|pair| pair[1] - pair[0]).chain(over_night).min().unwrap_or(DAY_MINUTES)
    }

    /// The fewest days from one day with a start to the next.
    fn days(&self) -> i64 {
        let [.., dates, _, weekdays] = &self.fields;
        let gap = |values: &[u32], cycle: u32| {
            let round =
                values.first().zip(values.last()).map(|(first, last)| (first + cycle).saturating_sub(*last));
            values.windows(2).map(|pair| pair[1] - pair[0]).chain(round).min().unwrap_or(1).max(1)
        };
        match (dates.is_empty(), weekdays.is_empty()) {
            (true, _) => gap(weekdays, 7).into(),
            // Of the shortest month.
            (false, true) => gap(dates, 28).into(),
            (false, false) => 1,
        }
    }

    /// The same in systemd's words, without the zone.
    pub(super) fn calendar(&self) -> Result<String, TimingError> {
        let [minutes, hours, dates, months, weekdays] = &self.fields;
        if !dates.is_empty() && !weekdays.is_empty() {
            return Err(TimingError(format!(
                "\"{}\" picks days of the month and of the week: cron starts on either, systemd on days that are both; give two timers, or one of the two",
                self.text
            )));
        }
        let names: Vec<_> =
            weekdays.iter().filter_map(|day| DAYS.get(*day as usize)).map(|name| capital(name)).collect();
        let day = if names.is_empty() { String::new() } else { names.join(",") + " " };
        let two = |values: &[u32]| list(values, "0");
        Ok(format!("{day}*-{}-{} {}:{}:00", two(months), two(dates), two(hours), two(minutes)))
    }
}

impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

fn capital(name: &str) -> String {
    name[..1].to_uppercase() + &name[1..]
}

/// Values with commas between, filled up to two digits where `fill` is a zero; a star where any will do.
fn list(values: &[u32], fill: &str) -> String {
    let shown = |value: &u32| if fill.is_empty() { value.to_string() } else { format!("{value:02}") };
    let values: Vec<_> = values.iter().map(shown).collect();
    if values.is_empty() { "*".to_owned() } else { values.join(",") }
}

/// The values of one field, empty for a star.
fn field(word: &str, place: usize) -> Option<Vec<u32>> {
    let mut values = Vec::new();
    for part in word.split(',') {
        match part_of(part, place)? {
            all if all.is_empty() => return Some(Vec::new()),
            some => values.extend(some),
        }
    }
    if place == 4 {
        // Sunday is 0 and 7.
        values.iter_mut().for_each(|day| *day %= 7);
    }
    values.sort_unstable();
    values.dedup();
    Some(values)
}

/// `*`, `5`, `mon-fri`, `*/15`, `1-9/2`.
fn part_of(part: &str, place: usize) -> Option<Vec<u32>> {
    let (_, least, greatest) = FIELDS[place];
    let (range, step) = match part.split_once('/') {
        Some((range, step)) => (range, step.parse().ok().filter(|step| *step > 0)?),
        None => (part, 1),
    };
    let greatest_day = if place == 4 { 6 } else { greatest };
    let (from, until) = match range.split_once('-') {
        _ if range == "*" && step == 1 => return Some(Vec::new()),
        _ if range == "*" => (least, greatest_day),
        Some((from, until)) => (value(from, place)?, value(until, place)?),
        // A step needs a range.
        None if part.contains('/') => return None,
        None => (value(range, place)?, value(range, place)?),
    };
    let fits = least <= from && from <= until && until <= greatest;
    fits.then(|| (from..=until).step_by(step).collect())
}

fn value(word: &str, place: usize) -> Option<u32> {
    let names: &[&str] = match place {
        3 => &MONTHS,
        4 => &DAYS,
        _ => &[],
    };
    let place_of_word = names.iter().position(|name| name.eq_ignore_ascii_case(word));
    let first = FIELDS[place].1;
    match place_of_word {
        Some(at) => u32::try_from(at).ok().map(|at| at + first),
        None if word.bytes().all(|byte| byte.is_ascii_digit()) => word.parse().ok(),
        None => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn expressions_are_read_as_cron_reads_them() {
        let cases = [
            ("5 * * * *", 60, "*-*-* *:05:00"),
            ("*/15 * * * *", 15, "*-*-* *:00,15,30,45:00"),
            ("0,50 * * * *", 10, "*-*-* *:00,50:00"),
            ("18 1-23/6 * * *", 360, "*-*-* 01,07,13,19:18:00"),
            ("30 6 * * mon-fri", 1440, "Mon,Tue,Wed,Thu,Fri *-*-* 06:30:00"),
            ("41 4 * * 7", 7 * 1440, "Sun *-*-* 04:41:00"),
            ("0 3 1,15 * *", 14 * 1440, "*-*-01,15 03:00:00"),
            ("0 3 * JAN,7 *", 1440, "*-01,07-* 03:00:00"),
        ];
        for (text, minutes, calendar) in cases {
            let expression = Expression::parse(text).unwrap();
            assert_eq!(expression.interval(), minutes, "{text}");
            assert_eq!(expression.calendar().unwrap(), calendar, "{text}");
        }
    }

    #[test]
    fn what_no_cron_takes_is_refused() {
        for text in
            ["", "@hourly", "5 * * *", "60 * * * *", "5/2 * * * *", "a * * * *", "9-3 * * * *", "*/0 * * * *"]
        {
            assert!(Expression::parse(text).is_err(), "{text}");
        }
        let both = Expression::parse("0 3 1 * mon").unwrap();
        assert!(both.calendar().unwrap_err().to_string().contains("either"));
    }

    #[test]
    fn regular_starts_keep_their_distance_over_midnight() {
        for (every, offset, text) in [
            (15, 18, "3,18,33,48 * * * *"),
            (60, 18, "18 * * * *"),
            (360, 78, "18 1,7,13,19 * * *"),
            (360, 378, "18 0,6,12,18 * * *"),
            (1440, 18, "18 0 * * *"),
            (30, 63, "3,33 * * * *"),
        ] {
            let expression = Expression::regular(every, offset);
            assert_eq!(expression.to_string(), text);
            assert_eq!(expression.interval(), every);
            assert_eq!(Expression::parse(text).unwrap(), expression);
        }
    }
}
