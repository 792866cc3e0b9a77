//! Deciding suspects: only what a look-up by id says counts.

use super::consumer::{ConsumerBook, home_time};
use super::{Answers, Findings, Sight};
use crate::classify::{Dead, Delivery, Facts};
use crate::model::{DeadLetter, Event, Id, Kind, Micros, Receipt, Span, State};
use crate::pair::Seen;
use crate::plan::FlowRules;
use hashbrown::HashMap;

/// What the event table knows of an id, seen from one consumer and one range.
#[derive(Clone, Copy)]
enum Known {
    /// No such row.
    Nothing,
    /// Another flow's, another range's, without a usable time, or not owed to this consumer.
    Elsewhere,
    /// A message of this range that this consumer must see.
    Here(Facts),
}

/// Rows by their id; rows without one are left out.
pub(super) fn by_id<T>(rows: Vec<T>, id: impl Fn(&T) -> Option<Id>) -> HashMap<Id, Vec<T>> {
    let mut found: HashMap<Id, Vec<T>> = HashMap::new();
    for row in rows {
        if let Some(id) = id(&row) {
            found.entry(id).or_default().push(row);
        }
    }
    found
}

/// A message in its best state, if a row in that state lies in the range: the earliest such row.
pub(super) fn home<'e>(rows: impl Iterator<Item = &'e Event> + Clone, span: Span) -> Option<Facts> {
    let own = rows.filter(|row| row.in_flow);
    let best = own.clone().map(|row| row.state).max()?;
    let count = u32::try_from(own.clone().count()).unwrap_or(u32::MAX);
    own.filter(|row| row.state == best)
        .filter_map(|row| Some((row.placed().filter(|at| span.contains(*at))?, row)))
        .min_by_key(|(at, row)| (*at, row.created.at()))
        .map(|(_, row)| Facts { state: best, acked: row.acked.at(), created: row.created.at(), rows: count })
}

/// Whether a message was consumed after the event table's replica ends: its ack may be there where nobody sees it, so
/// that it is no lost one. The producer alone is judged by what was so when the data ended.
fn ack_is_out_of_sight(delivery: &Delivery, rules: &FlowRules) -> bool {
    delivery.event.is_some_and(|event| event.state != State::Acked)
        && rules.events_fresh_until.zip(delivery.first).is_some_and(|(fresh, first)| first >= fresh)
}

impl Sight {
    fn of(id: &Id, known: Known, traces: &Traces) -> Self {
        let event = match known {
            Known::Here(facts) => Some(facts),
            Known::Nothing | Known::Elsewhere => None,
        };
        Self {
            id: id.clone(),
            kind: None,
            elsewhere: matches!(known, Known::Elsewhere),
            event,
            receipts: traces.receipts,
            first: traces.first,
        }
    }
}

/// The consumer's traces of an id.
#[derive(Default)]
struct Traces {
    receipts: u64,
    first: Option<Micros>,
    last: Option<Micros>,
    dead: Option<Dead>,
}

impl ConsumerBook {
    pub(super) fn decide(
        &mut self,
        ids: &[Id],
        answers: Answers,
        rules: &FlowRules,
        findings: &mut Findings,
        delivered: &mut HashMap<Id, u64>,
    ) {
        let mut letters = by_id(answers.dead_letters, |row| row.id.clone());
        let mut events = by_id(answers.events, |row| row.id.clone());
        let mut receipts = by_id(answers.receipts, |row| row.id.clone());
        for id in ids {
            let Some(seen) = self.suspects.remove(id) else { continue };
            self.renew_dead(id, letters.remove(id).unwrap_or_default(), rules);
            let rows = events.remove(id).unwrap_or_default();
            let known = self.known(&rows, &seen, rules);
            let traces = self.traces(&seen, &receipts.remove(id).unwrap_or_default(), id);
            let mut sight = self.sights.is_some().then(|| Sight::of(id, known, &traces));
            let kind = self.decide_one(id, &seen, known, traces, rules, findings);
            if kind == Some(Kind::AckLost) {
                *delivered.entry_ref(id).or_default() |= 1 << self.place;
            }
            if let (Some(sights), Some(mut sight)) = (&mut self.sights, sight.take()) {
                sight.kind = kind;
                sights.push(sight);
            }
        }
    }

    fn known(&self, rows: &[Event], seen: &Seen, rules: &FlowRules) -> Known {
        if rows.is_empty() {
            return match seen.event() {
                // It was sent while the run was reading, and its row is gone.
                Some(event) if rules.rows_vanish && event.state != State::Acked => Known::Nothing,
                // Not asked, or gone since it was read: then what was read stands.
                event => event.map_or(Known::Nothing, Known::Here),
            };
        }
        let consumer = &rules.consumers[self.place];
        let in_time = |row: &Event| row.placed().is_none_or(|at| consumer.owes(at));
        let owed = rows.iter().filter(|row| row.expected_by >> self.place & 1 == 1 && in_time(row));
        home(owed, rules.span).map_or(Known::Elsewhere, Known::Here)
    }

    /// What the look-up says of dead letters stands, be it that one was closed since; one that it cannot find again
    /// stays.
    fn renew_dead(&mut self, id: &Id, letters: Vec<DeadLetter>, rules: &FlowRules) {
        if !letters.is_empty() {
            self.dead.remove(id);
        }
        for letter in letters {
            self.dead_letter(letter, rules);
        }
    }

    fn traces(&mut self, seen: &Seen, rows: &[Receipt], id: &Id) -> Traces {
        let dead = self.dead.remove(id);
        if rows.is_empty() {
            // A receipt that was read proves consumption, even if it cannot be found again under this spelling.
            return Traces { receipts: seen.receipts.into(), first: seen.first(), last: seen.first(), dead };
        }
        let times = rows.iter().filter_map(|row| row.consumed.at());
        Traces { receipts: rows.len() as u64, first: times.clone().min(), last: times.max(), dead }
    }

    fn decide_one(
        &mut self,
        id: &Id,
        seen: &Seen,
        known: Known,
        traces: Traces,
        rules: &FlowRules,
        findings: &mut Findings,
    ) -> Option<Kind> {
        let Traces { receipts, first, last, dead } = traces;
        let parked = receipts > 0 && dead.as_ref().is_some_and(|dead| !dead.closed);
        let event = match known {
            Known::Here(facts) => Some(facts),
            Known::Nothing => None,
            Known::Elsewhere => {
                self.move_acked(seen.event().as_ref(), None, rules);
                self.recount(seen, receipts);
                self.receipts.outside += receipts;
                return None;
            }
        };
        self.parked += u64::from(parked && event.is_some());
        let settled = self.sights.is_none() && seen.event().is_none() && receipts > 0;
        if settled && event.is_some_and(|facts| facts.state == State::Acked) {
            // Settled in the first pass: it is here for its dead letter, or because its receipt was read twice.
            self.recount(seen, 0);
            return None;
        }
        self.move_acked(seen.event().as_ref(), event.as_ref(), rules);
        self.recount(seen, receipts);
        let delivery = Delivery { event, receipts, first, last, dead };
        if ack_is_out_of_sight(&delivery, rules) {
            self.receipts.undecidable += receipts;
            return None;
        }
        if event.is_none() && !self.can_be_orphan(&delivery, rules) {
            return None;
        }
        if event.is_none() && receipts > 0 && home_time(&delivery).is_none() {
            self.tell_undated(id, receipts);
            return None;
        }
        let kind = self.enter(id, &delivery, rules, findings);
        if kind.is_none() {
            self.receipts.outside += receipts;
        }
        kind
    }

    /// An orphan that belongs to no range: told of as a problem, since no window can count it.
    fn tell_undated(&mut self, id: &Id, receipts: u64) {
        self.receipts.undecidable += receipts;
        self.undated += receipts;
        if self.undated_ids.len() < super::NAMED_MAX {
            self.undated_ids.push(id.to_string());
        }
    }

    /// `read` says what was read in the first pass; from here on the look-up's number stands.
    fn recount(&mut self, seen: &Seen, receipts: u64) {
        self.receipts.read = (self.receipts.read + receipts).saturating_sub(seen.receipts.into());
    }

    /// Whether the lack of an event proves anything; books the receipts where it does not.
    fn can_be_orphan(&mut self, delivery: &Delivery, rules: &FlowRules) -> bool {
        let open = delivery.dead.as_ref().is_some_and(|dead| !dead.closed);
        let in_range = home_time(delivery).filter(|at| rules.span.contains(*at));
        let beyond = (delivery.receipts > 0 || open)
            && rules.events_fresh_until.zip(in_range).is_some_and(|(fresh, at)| at >= fresh);
        if rules.rows_vanish || beyond {
            self.receipts.undecidable += delivery.receipts;
            self.beyond_events += u64::from(beyond && !rules.rows_vanish);
            if beyond && !rules.rows_vanish {
                self.flaw(in_range, rules);
            }
            return false;
        }
        true
    }
}
