//! What did not pair, part by part: so many ids at a time as fit into memory.

use super::FlowBook;
use super::consumer::ConsumerBook;
use crate::classify::Facts;
use crate::model::{Id, State};
use crate::pair::PARTS;
use hashbrown::HashMap;

impl FlowBook {
    /// The producer's own count of a row, or of its short form.
    pub(super) fn note(&mut self, id: &Id, facts: Facts, short: bool) {
        let unique = self.rules.event_ids_unique && !self.own.has_spilled();
        if unique && facts.state == State::Acked {
            self.tally(facts.placed()).acked += 1;
            // This one, as it was when it was first read.
            self.own.remove(id);
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

    /// Everything was read. The first part is open from here on.
    pub fn close_reading(&mut self) {
        let books = || self.consumers.iter().flatten();
        let parted = self.own.has_spilled() || books().any(|book| book.pairing.has_spilled());
        self.parts = if parted { PARTS } else { 1 };
        self.own.close(parted);
        self.consumers.iter_mut().flatten().for_each(|book| book.pairing.close(parted));
        self.open_part(0);
    }

    /// In how many parts everything has to be decided: one, unless more was held than there is room for.
    #[must_use]
    pub fn parts(&self) -> usize {
        self.parts
    }

    /// Makes a part ready to be decided: settles what pairs after all, fixes the suspects and the events that are not
    /// acked.
    pub fn open_part(&mut self, part: usize) {
        for book in self.consumers.iter_mut().flatten() {
            book.open_part(part, &self.rules, &mut self.findings);
        }
        self.delivered = HashMap::new();
        self.open_own(part);
    }

    /// The producer's own part: its messages that are not acked.
    pub(super) fn open_own(&mut self, part: usize) {
        let mut moves = Vec::new();
        let own = self.own.take(part, &mut |one, other, now| moves.push((*one, *other, *now)));
        for (one, other, now) in moves {
            self.move_acked(Some(&one), None);
            self.move_acked(Some(&other), Some(&now));
        }
        let events = own.into_iter().filter_map(|(id, seen)| Some((id, seen.event()?)));
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
