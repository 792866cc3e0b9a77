//! One line for each alert that a message tells of.

use super::{Told, Tone, advice, span};
use crate::model::alert::Event;
use crate::model::{Alert, Kind, Notice, Verdict};
use crate::report::facts::kind_name;
use crate::report::text::{exact, grouped, visible};

const NAME_MAX: usize = 120;
const VALUE_MAX: usize = 200;

/// An alert, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Line {
    /// What happened to it; `None` where it is only told that it fires.
    pub event: Option<Event>,
    /// That in a word of the language.
    pub event_word: String,
    /// Of the bound.
    pub level: Verdict,
    /// The level in a word of the language.
    pub level_word: String,
    /// For colours.
    pub tone: Tone,
    /// The flow's name.
    pub flow: String,
    /// The consumer's name; `None` for the producer alone, and for what concerns the flow as a whole.
    pub consumer: Option<String>,
    /// `order-paid → points`, or the flow alone.
    pub place: String,
    /// The metric's name, as the configuration has it.
    pub metric: String,
    /// The metric, and what it is in a language other than English: `missing 丢失`.
    pub title: String,
    /// What was measured, with its unit.
    pub value: String,
    /// The bound, with its unit.
    pub bound: String,
    /// Messages that have come to it since somebody was last told.
    pub fresh: u64,
    /// Since when it has been over its bound: local time with its offset.
    pub since: String,
    /// Reason and end of the silence that it is under.
    pub silenced: Option<String>,
    /// What to do about it.
    pub remedy: Option<String>,
    /// The flow's runbook.
    pub runbook: Option<String>,
    /// All but remedy and runbook in one line.
    pub text: String,
}

pub(super) fn notice(notice: &Notice, told: &Told<'_>) -> Line {
    line(&notice.alert, Some(notice.event), notice.fresh, told)
}

pub(super) fn firing(alert: &Alert, told: &Told<'_>) -> Line {
    line(alert, None, 0, told)
}

fn line(alert: &Alert, event: Option<Event>, fresh: u64, told: &Told<'_>) -> Line {
    let key = &alert.key;
    let (flow, consumer) = (exact_name(&key.flow), key.consumer.as_deref().map(exact_name));
    let place = consumer.as_ref().map_or_else(|| flow.clone(), |consumer| format!("{flow} → {consumer}"));
    let cleared = event == Some(Event::Cleared);
    let mut line = Line {
        event,
        event_word: event_word(event, told).to_owned(),
        level: alert.level,
        level_word: level_word(alert.level, told).to_owned(),
        tone: if cleared { Tone::Good } else { Tone::of(alert.level) },
        flow,
        consumer,
        place,
        metric: exact_name(&key.metric),
        title: title(&key.metric, told),
        value: exact(&told.language.say_again(&alert.value), VALUE_MAX),
        bound: exact(&told.language.say_again(&alert.bound), VALUE_MAX),
        fresh,
        since: span::at(alert.since, told),
        silenced: silenced(alert, told),
        remedy: (!cleared).then(|| advice::remedy(&key.metric, told.language)).flatten(),
        runbook: told
            .around
            .runbooks
            .iter()
            .find(|(flow, _)| *flow == key.flow)
            .map(|(_, link)| visible(link)),
        text: String::new(),
    };
    line.text = text(&line, told);
    line
}

fn title(metric: &str, told: &Told<'_>) -> String {
    Kind::from_name(metric).map_or_else(|| exact_name(metric), |kind| kind_name(kind, told.language))
}

/// A name is shown as it is, unless nobody could read it for its length.
fn exact_name(name: &str) -> String {
    let shown = visible(name);
    if shown.chars().count() <= NAME_MAX { shown } else { exact(name, NAME_MAX) }
}

fn event_word<'a>(event: Option<Event>, told: &Told<'a>) -> &'a str {
    told.language.text(match event {
        None => "Firing",
        Some(Event::New) => "New alert",
        Some(Event::Raised) => "Now worse",
        Some(Event::Grown) => "Grown",
        Some(Event::Reminder) => "Still firing",
        Some(Event::Cleared) => "Cleared",
    })
}

fn level_word<'a>(level: Verdict, told: &Told<'a>) -> &'a str {
    told.language.text(match level {
        Verdict::Pass => "below its bound",
        Verdict::Warn => "warning",
        Verdict::Fail => "failure",
    })
}

fn silenced(alert: &Alert, told: &Told<'_>) -> Option<String> {
    let silenced = alert.silenced.as_ref()?;
    let until = span::at(silenced.until, told);
    Some(told.language.fill("silenced until {0}: {1}", &[&until, &exact(&silenced.reason, VALUE_MAX)]))
}

/// `New alert: order-paid → points: missing 7 (1.42 %) · bound 0.1 % (failure) · since 2026-…`.
fn text(line: &Line, told: &Told<'_>) -> String {
    let say = told.language;
    let mut parts = vec![format!("{} {}", line.title, line.value)];
    if line.event != Some(Event::Cleared) {
        parts.push(say.fill("bound {0} ({1})", &[&line.bound, &line.level_word]));
    }
    if line.fresh > 0 {
        parts.push(say.fill("{0} came since the last message", &[&grouped(line.fresh.cast_signed())]));
    }
    parts.push(say.fill("since {0}", &[&line.since]));
    parts.extend(line.silenced.clone());
    let parts = parts.join(" · ");
    say.fill("{0}: {1}: {2}", &[&line.event_word, &line.place, &parts])
}
