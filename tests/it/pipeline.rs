//! A pipeline: the rules of one flow and everything that its tables hold.

use chrono_tz::Tz;
use msgrecon::model::event::Stamp;
use msgrecon::model::time::MINUTE;
use msgrecon::model::window::cut;
use msgrecon::model::{DeadLetter, Event, Id, Micros, Receipt, State};
use msgrecon::plan::FlowRules;
use msgrecon::story::{DeadLine, EventLine, ReceiptLine, Story};
use std::fmt;

/// Rules and facts.
#[derive(Clone, Debug)]
pub struct Pipeline {
    /// Nothing is taken for unique in here; whoever drives the books may say so where it is true.
    pub rules: FlowRules,
    pub zone: Tz,
    pub window: i64,
    /// Consumers that expect only events of the sort `paid`, by place.
    pub only_paid: Vec<bool>,
    pub events: Vec<Event>,
    /// By the consumer's place; [`UNCONFIGURED`] for one that the flow does not know.
    pub receipts: Vec<(usize, Receipt)>,
    pub dead_letters: Vec<(usize, DeadLetter)>,
}

/// The place of a consumer that writes into the shared table and is not configured.
pub const UNCONFIGURED: usize = usize::MAX;

impl Pipeline {
    /// Times of the consumer's receipts of a message.
    pub fn consumed(&self, consumer: usize, id: &Id) -> Vec<Stamp> {
        let of = |row: &&(usize, Receipt)| row.0 == consumer && row.1.id.as_ref() == Some(id);
        self.receipts.iter().filter(of).map(|(_, row)| row.consumed).collect()
    }

    /// The consumer's dead letters of a message.
    pub fn parked(&self, consumer: usize, id: &Id) -> Vec<&DeadLetter> {
        let of = |row: &&(usize, DeadLetter)| row.0 == consumer && row.1.id.as_ref() == Some(id);
        self.dead_letters.iter().filter(of).map(|(_, row)| row).collect()
    }

    /// Whether no two event rows have the same id.
    pub fn event_ids_unique(&self) -> bool {
        all_differ(self.events.iter().map(|row| row.id.as_ref()))
    }

    /// Whether no two receipts of the consumer have the same id.
    pub fn receipt_ids_unique(&self, consumer: usize) -> bool {
        let own = self.receipts.iter().filter(|(place, _)| *place == consumer);
        all_differ(own.map(|(_, row)| row.id.as_ref()))
    }

    /// Whether some message has a dated receipt and an undated one at the same consumer: only a reader that reads
    /// undated receipts along with the range can tell that it was consumed twice.
    pub fn has_undated_twin(&self) -> bool {
        self.receipts.iter().filter(|(_, row)| row.consumed.at().is_none()).any(|(place, row)| {
            let dated = |stamp: &Stamp| stamp.at().is_some();
            row.id.as_ref().is_some_and(|id| self.consumed(*place, id).iter().any(dated))
        })
    }

    /// The same facts judged in windows of another size.
    pub fn cut_into(mut self, window: i64) -> Self {
        self.window = window;
        self.rules.windows = cut(self.rules.span, window, self.zone, usize::MAX);
        self
    }

    /// The same facts as rows of the story's tables, where those can hold them.
    ///
    /// `sort` is `paid`, `refund` for events that a consumer with `expects = "sort = 'paid'"` does not see, and
    /// `foreign` for events of another flow in the same table. The rules (`since`, `retention`, …) stay in `rules`.
    pub fn to_story(&self) -> Option<Story> {
        Some(Story {
            events: self.events.iter().map(event_line).collect::<Option<_>>()?,
            receipts: self.receipts.iter().map(|row| self.receipt_line(row)).collect::<Option<_>>()?,
            dead_letters: self.dead_letters.iter().map(|row| self.dead_line(row)).collect::<Option<_>>()?,
            wants: Vec::new(),
        })
    }

    fn receipt_line(&self, (place, row): &(usize, Receipt)) -> Option<ReceiptLine> {
        Some(ReceiptLine {
            id: text(row.id.as_ref())?,
            consumer: self.consumer_name(*place).to_owned(),
            consumed: time(row.consumed)?,
            original: None,
        })
    }

    fn dead_line(&self, (place, row): &(usize, DeadLetter)) -> Option<DeadLine> {
        let dead = row.dead.at()?;
        Some(DeadLine {
            id: text(row.id.as_ref())??,
            consumer: self.consumer_name(*place).to_owned(),
            dead,
            closed: row.closed.then(|| dead.plus(MINUTE)),
            reason: row.reason.clone().unwrap_or_default(),
        })
    }

    pub fn consumer_name(&self, place: usize) -> &str {
        self.rules.consumers.get(place).map_or("audit", |consumer| consumer.name.as_str())
    }
}

fn event_line(row: &Event) -> Option<EventLine> {
    let sort = match (row.in_flow, is_paid(row)) {
        (false, _) => "foreign",
        (true, true) => "paid",
        (true, false) => "refund",
    };
    Some(EventLine {
        id: text(row.id.as_ref())?,
        state: state_name(row.state).to_owned(),
        created: time(row.created)?,
        acked: time(row.acked)?,
        attempts: 0,
        sort: sort.to_owned(),
    })
}

/// The bit that no consumer has is set exactly for paid events.
fn is_paid(row: &Event) -> bool {
    row.expected_by >> 63 == 1
}

/// The state as it stands in the story's table; no rule names `parked`.
pub fn state_name(state: State) -> &'static str {
    match state {
        State::Unknown => "parked",
        State::Failed => "failed",
        State::Pending => "pending",
        State::Acked => "acked",
    }
}

/// `None`: no text column can hold it; `Some(None)`: NULL.
#[expect(clippy::option_option, reason = "not expressible, NULL, and a text are three things")]
fn text(id: Option<&Id>) -> Option<Option<String>> {
    id.map_or(Some(None), |id| id.to_text().filter(|text| !text.contains('\0')).map(Some))
}

/// `None`: no time column can hold it; `Some(None)`: NULL.
#[expect(clippy::option_option, reason = "not expressible, NULL, and a time are three things")]
fn time(stamp: Stamp) -> Option<Option<Micros>> {
    match stamp {
        Stamp::None => Some(None),
        Stamp::At(at) => Some(Some(at)),
        Stamp::Unusable => None,
    }
}

fn all_differ<'i>(ids: impl Iterator<Item = Option<&'i Id>>) -> bool {
    let mut ids: Vec<_> = ids.flatten().collect();
    ids.sort_unstable();
    ids.windows(2).all(|pair| pair[0] != pair[1])
}

/// The pipeline as a person reads it: rules first, then one line a row, in the words of a story.
impl fmt::Display for Pipeline {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let rules = &self.rules;
        let micros = msgrecon::model::time::human;
        writeln!(
            f,
            "span {} .. {} ({}), as-of {}",
            rules.span.from, rules.span.until, self.zone, rules.as_of
        )?;
        write!(f, "window {}, grace {}, late after ", micros(self.window), micros(rules.grace))?;
        write!(f, "{:?}, stuck after {}", rules.late_after.map(micros), micros(rules.stuck_after))?;
        writeln!(f, ", rows vanish: {}", rules.rows_vanish)?;
        for (place, rule) in rules.consumers.iter().enumerate() {
            write!(
                f,
                "consumer {}: since {:?}, until {:?}",
                rule.name,
                stamp(rule.since),
                stamp(rule.until)
            )?;
            write!(f, ", retention {:?}, dated {}", rule.retention.map(micros), rule.receipts_dated)?;
            writeln!(f, ", fresh {:?}, only paid {}", stamp(rule.fresh_until), self.only_paid[place])?;
        }
        for row in &self.events {
            let (created, acked) = (show(row.created), show(row.acked));
            let sort = if is_paid(row) { "paid" } else { "refund" };
            let (id, state) = (short(row.id.as_ref()), state_name(row.state));
            writeln!(f, "event   {id} {state} {created} {acked} {sort} in_flow={}", row.in_flow)?;
        }
        for (place, row) in &self.receipts {
            let (id, name) = (short(row.id.as_ref()), self.consumer_name(*place));
            writeln!(f, "receipt {id} {name} {}", show(row.consumed))?;
        }
        for (place, row) in &self.dead_letters {
            let (id, name) = (short(row.id.as_ref()), self.consumer_name(*place));
            writeln!(f, "dead    {id} {name} {} closed={}", show(row.dead), row.closed)?;
        }
        Ok(())
    }
}

fn stamp(at: Option<Micros>) -> Option<String> {
    at.map(Micros::to_rfc3339)
}

fn show(stamp: Stamp) -> String {
    match stamp {
        Stamp::None => "-".to_owned(),
        Stamp::At(at) => at.to_rfc3339(),
        Stamp::Unusable => "unusable".to_owned(),
    }
}

/// The id as a reader needs it to tell the pipeline's ids apart: of long ones the end.
fn short(id: Option<&Id>) -> String {
    let Some(id) = id else { return "NULL".to_owned() };
    let text: Vec<char> = id.to_string().chars().collect();
    let end: String = text[text.len().saturating_sub(40)..].iter().collect();
    if text.len() > 40 { format!("…{end}") } else { format!("{end:?}") }
}
