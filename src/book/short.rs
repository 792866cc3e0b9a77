//! Slices in the short form: what pairs inside a slice is settled at once, the rest goes the way of every row.

use super::Findings;
use super::FlowBook;
use super::consumer::ConsumerBook;
use crate::classify::Facts;
use crate::model::bulk::Slim;
use crate::model::event::Stamp;
use crate::model::window::position;
use crate::model::{Bulk, Kind, Micros, Receipt, ShortEvents, State, Window};
use crate::pair::{Met, Pairing, Seen, Settling, pair_up};
use crate::plan::FlowRules;
use std::borrow::Cow;

/// So many receipts are read again without a second thought.
const SMALL: u64 = 200_000;

impl FlowBook {
    /// Takes in a slice: acked events, and each consumer's receipts (in the order of the consumers). Rows outside the
    /// range do not count.
    pub fn slice(&mut self, mut events: Vec<ShortEvents>, receipts: &[Bulk]) {
        let span = self.rules.span;
        let witnessed = events.iter().all(|group| self.is_witnessed(group.expected_by));
        for group in &mut events {
            group.rows.retain(|at| span.contains(at));
            self.note_short(&group.rows, witnessed);
        }
        let nothing = Bulk::default();
        for (place, book) in self.consumers.iter_mut().enumerate() {
            let Some(book) = book else { continue };
            let mut receipts = receipts.get(place).unwrap_or(&nothing);
            let mut own = (self.witness == Some(place)).then_some(&mut self.own);
            for owed in owed(&events, place, &self.rules) {
                book.slice(&owed, receipts, own.as_deref_mut(), &self.rules, &mut self.findings);
                receipts = &nothing;
            }
        }
    }

    /// Whether few receipts of the consumer were read, or one message in a hundred of some window lacks its.
    #[must_use]
    pub fn is_small_or_lacking(&self, place: usize) -> bool {
        self.consumers[place].as_ref().is_some_and(|book| {
            book.receipts.read <= SMALL
                || book.windows.iter().any(|window| window.missing > window.acked / 100)
        })
    }

    /// The producer's own counts; the ids of `witnessed` events are noted by the consumer that must see all of them.
    fn note_short(&mut self, rows: &Bulk, witnessed: bool) {
        let mut near = Near::default();
        for row in rows.rows() {
            let place = near.position(&self.rules.windows, row.at);
            let tally = place.map_or(&mut self.unplaced, |place| &mut self.windows[place]);
            tally.rows += 1;
            // Where ids are unique and nothing is held, the row is all that there is of its message.
            if witnessed || self.rules.event_ids_unique && self.own.is_empty() {
                tally.acked += 1;
                continue;
            }
            self.note(&rows.id(row), facts(row), true);
        }
    }
}

fn noted(event: &Slim) -> Seen {
    Seen::of_event(facts(event), true)
}

fn facts(event: &Slim) -> Facts {
    Facts { state: State::Acked, acked: Some(event.at), created: None, rows: 1 }
}

/// The events of a slice that a consumer must see.
struct Owed<'e> {
    rows: Cow<'e, Bulk>,
    created_unread: bool,
}

/// One, be it empty, unless so many ids are so long that one cannot hold them.
fn owed<'e>(events: &'e [ShortEvents], place: usize, rules: &FlowRules) -> Vec<Owed<'e>> {
    let groups: Vec<_> = events.iter().filter(|group| group.expected_by >> place & 1 == 1).collect();
    let created_unread = groups.iter().any(|group| group.created_unread);
    let mut all: Vec<Cow<'e, Bulk>> = Vec::new();
    for group in groups {
        let joined = all.last_mut().is_some_and(|last| last.to_mut().append(&group.rows));
        if !joined {
            all.push(Cow::Borrowed(&group.rows));
        }
    }
    if all.is_empty() {
        all.push(Cow::Owned(Bulk::default()));
    }
    let consumer = &rules.consumers[place];
    let mut owed = Vec::new();
    for mut rows in all {
        if rows.rows().iter().any(|row| !consumer.owes(row.at)) {
            rows.to_mut().retain(|at| consumer.owes(at));
        }
        owed.push(Owed { rows, created_unread });
    }
    owed
}

impl ConsumerBook {
    /// `own` is the producer's, where it leaves to this consumer the events that it sets aside.
    fn slice(
        &mut self,
        events: &Owed<'_>,
        receipts: &Bulk,
        mut own: Option<&mut Pairing>,
        rules: &FlowRules,
        findings: &mut Findings,
    ) {
        let (mut near, sole) = (Near::default(), own.is_some());
        let hasher = self.pairing.hasher().clone();
        pair_up(&events.rows, receipts, &hasher, |met| {
            let (event, receipt) = match met {
                Met::Pair(event, receipt, hash) => {
                    let pair = (event, hash, receipt.at);
                    if self.settle(events, pair, sole, &mut near, rules) {
                        return;
                    }
                    (Some(event), Some(receipt))
                }
                Met::Event(event) => (Some(event), None),
                Met::Receipt(receipt) => (None, Some(receipt)),
            };
            if let Some(event) = event {
                let own = own.as_mut();
                own.into_iter().for_each(|own| own.set_aside(&events.rows.id(event), &noted(event)));
                self.short_event(events, event, rules, findings);
            }
            if let Some(receipt) = receipt {
                self.short_receipt(receipts, receipt, rules, findings);
            }
        });
    }

    /// Settles a pair that is plainly fine: nothing else of its id came so far, and it was in time.
    fn settle(
        &mut self,
        events: &Owed<'_>,
        (event, hash, consumed): (&Slim, u64, Micros),
        sole: bool,
        near: &mut Near,
        rules: &FlowRules,
    ) -> bool {
        let took = consumed.since(event.at);
        let late = rules.late_after.is_some_and(|late_after| took > late_after);
        let place = near.position(&rules.windows, event.at).filter(|_| !late);
        let Some(place) = place else { return false };
        let seen = || Seen::of_pair(event.at, consumed, events.created_unread).solely(sole);
        let Some(settling) = self.pairing.settle(hash, || events.rows.id(event), seen) else { return false };
        self.receipts.read += 1;
        self.windows[place].acked += 1;
        if settling == Settling::Later {
            self.aside.pair(place, Some(took), rules);
            return true;
        }
        self.windows[place].add(Kind::Ok, 1);
        self.measured = true;
        self.latency.record(took);
        true
    }

    fn short_event(&mut self, events: &Owed<'_>, row: &Slim, rules: &FlowRules, findings: &mut Findings) {
        self.row(&events.rows.id(row), facts(row), events.created_unread, rules, findings);
    }

    fn short_receipt(&mut self, rows: &Bulk, row: &Slim, rules: &FlowRules, findings: &mut Findings) {
        let receipt = Receipt { id: Some(rows.id(row)), consumed: Stamp::At(row.at) };
        self.receipt(receipt, rules, findings);
    }
}

/// Finds windows for instants that come nearly in time order.
#[derive(Default)]
struct Near(Option<usize>);

impl Near {
    fn position(&mut self, windows: &[Window], at: Micros) -> Option<usize> {
        let same = self.0.filter(|place| windows[*place].0.contains(at));
        self.0 = same.or_else(|| position(windows, at));
        self.0
    }
}
