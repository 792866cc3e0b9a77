//! The books of one flow: facts go in as they are read, suspects come out, look-ups decide them, and the report is
//! what is in the books at the end.
//!
//! Pure: whoever reads the sources feeds [`FlowBook`] in any order, asks it which ids to look up, and brings the answers.
//!
//! 1. [`FlowBook::event`], [`FlowBook::receipt`], [`FlowBook::dead_letter`], [`FlowBook::backlog`] while reading;
//! 2. [`FlowBook::close_reading`] when all is read; then for each of the [`FlowBook::parts`], one unless very much did not
//!    pair, after [`FlowBook::open_part`]:
//! 3. for each consumer the [`FlowBook::suspects`], batch by batch, to [`FlowBook::decide`];
//! 4. the producer's own [`FlowBook::open_events`] to [`FlowBook::decide_open`];
//! 5. [`FlowBook::finish`].

mod agreed;
mod aside;
mod consumer;
mod decide;
mod findings;
mod finish;
mod heal;
mod hints;
mod packed;
mod parts;
mod short;
mod slice;
mod witness;

pub use findings::Findings;
pub use finish::{Finished, Firm};
pub use heal::{Checked, Sight};
pub use hints::id_hint;
pub use slice::{Merged, Slice, merge};

use crate::classify::{Facts, at_producer};
use crate::model::event::Stamp;
use crate::model::run::Backlog;
use crate::model::tally::EventTotals;
use crate::model::window::position;
use crate::model::{DeadLetter, Difference, Event, Id, Kind, Micros, Receipt, State, Status};
use crate::pair::{Pairing, Room};
use crate::plan::FlowRules;
use consumer::ConsumerBook;
use hashbrown::HashMap;
use witness::witness;

/// So many ids are named in a problem or hint; the counts go on.
const NAMED_MAX: usize = 10;

/// The answers to one batch of look-ups: all rows with these ids, whatever their time.
#[derive(Clone, Debug, Default)]
pub struct Answers {
    /// Rows of the event table, those of other flows in the same table too.
    pub events: Vec<Event>,
    /// The consumer's receipts.
    pub receipts: Vec<Receipt>,
    /// The consumer's dead letters.
    pub dead_letters: Vec<DeadLetter>,
}

/// The books of one flow.
#[derive(Debug)]
pub struct FlowBook {
    rules: FlowRules,
    /// The producer's counts, by window ...
    windows: Vec<EventTotals>,
    /// ... and those of rows that no usable time assigns to one.
    unplaced: EventTotals,
    /// Whether a window holds rows that no verdict was possible on.
    flaws: Vec<bool>,
    backlog: Option<Backlog>,
    /// Messages that are not acked, of the part that is being decided.
    open: HashMap<Id, Facts>,
    /// The producer's own: messages that are not acked; where an id may have several rows, also the others that are not left
    /// to the witness.
    own: Pairing,
    /// Where events may come again: the consumer that must see all of them, while there is one. What it sets aside is not
    /// set aside a second time here.
    witness: Option<usize>,
    /// Where parts end and begin in which everything is decided.
    bounds: Vec<Id>,
    /// Messages that are not acked and that consumers have a receipt of: bit `i` for consumer `i`.
    delivered: HashMap<Id, u64>,
    /// `None`: the consumer could not be read.
    consumers: Vec<Option<ConsumerBook>>,
    findings: Findings,
    unknown_ids: Vec<String>,
    /// Limits that were hit while reading the event table.
    cut_short: Vec<String>,
}

impl FlowBook {
    /// Empty books. At most `listed_max` differences are kept with their ids.
    #[must_use]
    pub fn new(rules: FlowRules, listed_max: usize) -> Self {
        Self::with(rules, Findings::new(listed_max))
    }

    /// Empty books whose differences somebody takes as they are found: see [`FlowBook::take_found`].
    #[must_use]
    pub fn streamed(rules: FlowRules) -> Self {
        Self::with(rules, Findings::streamed())
    }

    fn with(rules: FlowRules, findings: Findings) -> Self {
        let room = Room::within(rules.memory, rules.consumers.len() + 1);
        let consumers =
            (0..rules.consumers.len()).map(|place| Some(ConsumerBook::new(&rules, place, room))).collect();
        Self {
            windows: vec![EventTotals::default(); rules.windows.len()],
            unplaced: EventTotals::default(),
            flaws: vec![false; rules.windows.len()],
            backlog: None,
            open: HashMap::new(),
            own: Pairing::new(false, None, room),
            witness: witness(&rules),
            bounds: Vec::new(),
            delivered: HashMap::new(),
            consumers,
            findings,
            unknown_ids: Vec::new(),
            cut_short: Vec::new(),
            rules,
        }
    }

    /// The differences found since this was asked last. Each was confirmed, and stands whatever comes.
    pub fn take_found(&mut self) -> Vec<Difference> {
        self.findings.take()
    }

    /// Where an event of this instant is counted.
    fn tally(&mut self, at: Option<Micros>) -> &mut EventTotals {
        match at.and_then(|at| position(&self.rules.windows, at)) {
            Some(place) => &mut self.windows[place],
            None => &mut self.unplaced,
        }
    }

    /// Marks the window of an instant as one that could not be judged to its last row.
    fn flaw(&mut self, at: Micros) {
        if let Some(place) = position(&self.rules.windows, at) {
            self.flaws[place] = true;
        }
    }

    /// The producer's counts over the range.
    fn events(&self) -> EventTotals {
        let mut all = self.unplaced;
        self.windows.iter().for_each(|window| all.merge(window));
        all
    }

    /// How this flow is judged.
    #[must_use]
    pub fn rules(&self) -> &FlowRules {
        &self.rules
    }

    /// The consumer could not be read: it is not judged at all, rather than by half of its receipts. What was found
    /// there already is taken back.
    pub fn lose(&mut self, consumer: usize) {
        if self.witness == Some(consumer) {
            self.dismiss_witness();
        }
        self.consumers[consumer] = None;
        self.delivered.values_mut().for_each(|consumers| *consumers &= !(1 << consumer));
        self.findings.forget(&self.rules.consumers[consumer].name);
    }

    /// Whether the consumer is still judged.
    #[must_use]
    pub fn has(&self, consumer: usize) -> bool {
        self.consumers[consumer].is_some()
    }

    /// Takes in a row of the event table. Rows outside the range do not count.
    pub fn event(&mut self, row: &Event) {
        let Some(placed) = row.placed() else {
            self.unattributable(row);
            return;
        };
        if !row.in_flow || !self.rules.span.contains(placed) {
            return;
        }
        self.tally(Some(placed)).rows += 1;
        let Some(id) = &row.id else {
            self.tally(Some(placed)).without_id += 1;
            self.flaw(placed);
            return;
        };
        let facts = Facts { state: row.state, acked: row.acked.at(), created: row.created.at(), rows: 1 };
        self.is_witnessed(row.expected_by);
        self.note(id, facts, false);
        for (place, book) in self.consumers.iter_mut().enumerate() {
            let owed = row.expected_by >> place & 1 == 1 && self.rules.consumers[place].owes(placed);
            if let Some(book) = book.as_mut().filter(|_| owed) {
                book.event(id, facts, &self.rules, &mut self.findings);
            }
        }
    }

    /// A row without a usable place is told of in the range in which it was written; one without any usable time in
    /// every range.
    fn unattributable(&mut self, row: &Event) {
        if !row.in_flow || row.created.at().is_some_and(|at| !self.rules.span.contains(at)) {
            return;
        }
        self.tally(row.created.at()).unattributable += 1;
        let which = match (row.acked, row.created) {
            (Stamp::Unusable, _) => "the ack time is unusable",
            (Stamp::None, Stamp::Unusable) => "the creation time is unusable",
            _ => "there is neither an ack nor a creation time",
        };
        self.findings.push(Difference {
            created_at: row.created.at(),
            detail: format!("{which}; state {}", state_name(row.state)),
            ..self.rules.difference(None, Kind::Unattributable, row.id.clone())
        });
    }

    /// Takes in a receipt of the consumer at `place`.
    pub fn receipt(&mut self, place: usize, row: Receipt) {
        if let Some(book) = &mut self.consumers[place] {
            book.receipt(row, &self.rules, &mut self.findings);
        }
    }

    /// Takes in a dead letter of the consumer at `place`. Its reason comes with the look-up that every dead letter gets,
    /// and need not be held until then.
    pub fn dead_letter(&mut self, place: usize, row: DeadLetter) {
        let row = DeadLetter { reason: None, ..row };
        if let Some(book) = &mut self.consumers[place] {
            book.dead_letter(row, &self.rules);
        }
    }

    /// A limit was hit while reading the event table: what lies behind it is not judged, and the flow is incomplete.
    pub fn cut_short(&mut self, limit: String) {
        self.cut_short.push(limit);
    }

    /// Opens the backlog: from here on it counts as read, be it empty.
    pub fn open_backlog(&mut self) {
        self.backlog.get_or_insert_default();
    }

    /// Takes in one table's pending rows, whatever their window.
    pub fn backlog(&mut self, more: &Backlog) {
        self.backlog.get_or_insert_default().merge(more);
    }

    /// Every event of the range was read; from here on a receipt of an id that is not held can only be another
    /// range's, and is counted without being kept.
    pub fn events_done(&mut self) {
        self.consumers.iter_mut().flatten().for_each(ConsumerBook::events_done);
    }

    /// The ids that must be looked up before the consumer at `place` can be judged, sorted.
    #[must_use]
    pub fn suspects(&self, place: usize) -> Vec<Id> {
        self.suspects_between(place, None, None)
    }

    /// How many ids must be looked up before the consumer at `place` can be judged.
    #[must_use]
    pub fn suspects_count(&self, place: usize) -> usize {
        self.consumers[place].as_ref().map_or(0, |book| book.suspects.len())
    }

    /// Ids that part the suspects into pieces of about `wanted`: where there are very many, their ids need not be held twice
    /// at once, and neighbours are still looked up together.
    #[must_use]
    pub fn suspects_bounds(&self, place: usize, wanted: usize) -> Vec<Id> {
        self.consumers[place].as_ref().map(|book| book.bounds(wanted)).unwrap_or_default()
    }

    /// The suspects from one id on and below another, sorted.
    #[must_use]
    pub fn suspects_between(&self, place: usize, from: Option<&Id>, until: Option<&Id>) -> Vec<Id> {
        self.consumers[place].as_ref().map(|book| book.suspects(from, until)).unwrap_or_default()
    }

    /// Whether the event table must be asked for this suspect too, or is known already to the last row.
    #[must_use]
    pub fn needs_event(&self, place: usize, id: &Id) -> bool {
        let unique = self.rules.event_ids_unique;
        self.consumers[place].as_ref().is_some_and(|book| book.needs_event(id, unique))
    }

    /// Decides suspects of the consumer at `place` by what the look-ups of exactly these ids gave.
    pub fn decide(&mut self, place: usize, ids: &[Id], answers: Answers) {
        let Some(book) = &mut self.consumers[place] else { return };
        book.decide(ids, answers, &self.rules, &mut self.findings, &mut self.delivered);
    }

    /// Messages that are not acked, to be looked up in the event table once more, sorted.
    #[must_use]
    pub fn open_events(&self) -> Vec<Id> {
        let mut ids: Vec<_> = self.open.keys().cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// Decides messages that were not acked by what the event table says of exactly these ids now.
    pub fn decide_open(&mut self, ids: &[Id], rows: Vec<Event>) {
        let mut found = decide::by_id(rows, |row| row.id.clone());
        for id in ids {
            let Some(seen) = self.open.remove(id) else { continue };
            let rows = found.remove(id).unwrap_or_default();
            if rows.is_empty() && self.rules.rows_vanish {
                continue; // It was sent while the run was reading, and its row is gone.
            }
            let facts = if rows.is_empty() { Some(seen) } else { decide::home(rows.iter(), self.rules.span) };
            let attempts = rows.iter().filter_map(|row| row.attempts).max();
            if let Some(facts) = facts {
                self.judge_open(id, &facts, attempts);
            }
        }
    }

    fn judge_open(&mut self, id: &Id, facts: &Facts, attempts: Option<i64>) {
        if facts.state == State::Acked {
            // Since it was read.
            self.tally(facts.placed()).acked += 1;
            return;
        }
        if facts.state == State::Unknown {
            self.tally(facts.placed()).unknown_state += 1;
            facts.placed().into_iter().for_each(|at| self.flaw(at));
            if self.unknown_ids.len() < NAMED_MAX {
                self.unknown_ids.push(id.to_string());
            }
            return;
        }
        if self.delivered.get(id).is_some_and(|consumers| *consumers != 0) {
            self.tally(facts.placed()).ack_lost += 1;
            return;
        }
        let Some(kind) = at_producer(facts, &self.rules) else { return };
        match kind {
            Kind::Stuck => self.tally(facts.placed()).stuck += 1,
            Kind::PublishFailed => self.tally(facts.placed()).publish_failed += 1,
            _ => self.tally(facts.placed()).pending += 1,
        }
        if kind.is_difference() {
            let rows = (facts.rows > 1).then(|| format!("{} event rows", facts.rows));
            let attempts = attempts.map(|attempts| format!("{attempts} attempts"));
            let detail = rows.into_iter().chain(attempts).collect::<Vec<_>>().join("; ");
            self.findings.push(Difference { detail, ..self.rules.event_difference(None, kind, id, facts) });
        }
    }
}

impl FlowRules {
    /// A difference of this flow with nothing known but its kind and id.
    fn difference(&self, consumer: Option<&str>, kind: Kind, id: Option<Id>) -> Difference {
        Difference {
            flow: self.name.clone(),
            consumer: consumer.map(ToOwned::to_owned),
            window_from: None,
            kind,
            id,
            created_at: None,
            acked_at: None,
            consumed_at: None,
            age: None,
            first_seen: self.as_of,
            detail: String::new(),
            status: Status::New,
            times_seen: 1,
            after_first_check: false,
        }
    }

    /// A difference of a known event, placed in its window.
    fn event_difference(&self, consumer: Option<&str>, kind: Kind, id: &Id, facts: &Facts) -> Difference {
        let placed = facts.placed();
        Difference {
            window_from: placed.and_then(|at| self.window_from(at)),
            created_at: facts.created,
            acked_at: facts.acked,
            age: placed.map(|at| self.as_of.since(at)),
            ..self.difference(consumer, kind, Some(id.clone()))
        }
    }

    fn window_from(&self, at: Micros) -> Option<Micros> {
        let place = position(&self.windows, at)?;
        Some(self.windows[place].0.from)
    }
}

fn state_name(state: State) -> &'static str {
    match state {
        State::Unknown => "unknown",
        State::Failed => "failed",
        State::Pending => "pending",
        State::Acked => "acked",
    }
}
