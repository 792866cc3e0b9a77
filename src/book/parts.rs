//! What did not pair, part by part: so many ids at a time as fit into memory.

use super::FlowBook;
use super::consumer::ConsumerBook;
use crate::classify::Facts;
use crate::model::{Id, State};
use crate::pair::{Recalled, Seen, bounds};
use hashbrown::HashMap;

/// Ids from one on and below another; `None` is no limit.
#[derive(Debug)]
pub(super) struct Part {
    from: Option<Id>,
    pub(super) until: Option<Id>,
}

impl Part {
    pub(super) fn has(&self, id: &Id) -> bool {
        self.from.as_ref().is_none_or(|from| from <= id) && self.until.as_ref().is_none_or(|until| id < until)
    }
}

impl FlowBook {
    /// The producer's own count of a row, or of its short form.
    pub(super) fn note(&mut self, id: &Id, facts: Facts, short: bool) {
        let unique = self.rules.event_ids_unique && !self.own.has_spilled(id);
        if unique && facts.state == State::Acked {
            self.tally(facts.placed()).acked += 1;
            // This one, as it was when it was first read.
            self.own.remove(id);
            return;
        }
        if facts.state == State::Acked {
            // Its id may come again, or has.
            self.tally(facts.placed()).acked += 1;
            self.own.set_aside(id, &Seen::of_event(facts, short));
            return;
        }
        let (before, now, _) = self.own.event(id, facts, short);
        self.move_acked(before.as_ref(), Some(&now));
    }

    /// Keeps `acked` true to what an event is known to be now.
    fn move_acked(&mut self, before: Option<&Facts>, now: Option<&Facts>) {
        if let Some(facts) = before.filter(|facts| facts.state == State::Acked) {
            let tally = self.tally(facts.placed());
            tally.acked = tally.acked.saturating_sub(1);
        }
        if let Some(facts) = now.filter(|facts| facts.state == State::Acked) {
            self.tally(facts.placed()).acked += 1;
        }
    }

    /// Two events that were counted are one.
    fn merge_acked(&mut self, one: &Facts, other: &Facts, now: &Facts) {
        self.move_acked(Some(one), None);
        self.move_acked(Some(other), Some(now));
    }

    /// Everything was read. The first part is open from here on.
    pub fn close_reading(&mut self) {
        for (place, book) in self.consumers.iter_mut().enumerate() {
            let own = (self.witness == Some(place)).then_some(&mut self.own);
            if let Some(book) = book {
                book.recall(own, &self.rules, &mut self.findings);
            }
        }
        self.recall_own();
        let books = || self.consumers.iter().flatten();
        let parted = self.own.is_spilled() || books().any(|book| book.pairing.is_spilled());
        self.own.close(parted);
        self.consumers.iter_mut().flatten().for_each(|book| book.pairing.close(parted));
        let pairings = self.consumers.iter().flatten().map(|book| &book.pairing).chain([&self.own]);
        self.bounds = bounds(&pairings.collect::<Vec<_>>());
        self.open_part(0);
    }

    /// In how many parts everything has to be decided: one, unless more was held than there is room for.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.bounds.len() + 1
    }

    /// Makes a part ready to be decided, in the order of the ids: settles what pairs after all, fixes the suspects and
    /// the events that are not acked.
    pub fn open_part(&mut self, part: usize) {
        let from = part.checked_sub(1).and_then(|before| self.bounds.get(before));
        let part = Part { from: from.cloned(), until: self.bounds.get(part).cloned() };
        for book in self.consumers.iter_mut().flatten() {
            book.open_part(&part, &self.rules, &mut self.findings);
        }
        self.delivered = HashMap::new();
        self.open_own(part.until.as_ref());
    }

    /// Acked events that came once were counted, and nothing more is to be said of them here.
    pub(super) fn recall_own(&mut self) {
        let mut own = std::mem::take(&mut self.own);
        own.recall(std::iter::empty(), &mut |recalled| {
            if let Recalled::Merged(one, other, now) = recalled {
                self.merge_acked(one, other, now);
            }
        });
        self.own = own;
    }

    /// The producer's own part: its messages that are not acked.
    pub(super) fn open_own(&mut self, until: Option<&Id>) {
        self.open = HashMap::new();
        let mut own = std::mem::take(&mut self.own);
        let held = own.take(until, &mut |one, other, now| self.merge_acked(one, other, now));
        self.own = own;
        let events = held.into_iter().filter_map(|(id, seen)| Some((id, seen.event()?)));
        let open = events.filter(|(_, facts)| facts.state != State::Acked).collect();
        self.open = open;
    }

    /// Why something was lost that did not fit into memory.
    pub(super) fn lost(&self) -> Option<&str> {
        self.own.lost()
    }
}

impl ConsumerBook {
    /// Why something was lost that did not fit into memory.
    pub(super) fn lost(&self) -> Option<&str> {
        self.pairing.lost()
    }
}
