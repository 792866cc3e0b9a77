//! The producer's own count, where an id may have several events: each is set aside until it is known which came again.
//!
//! A consumer that must see every event sets them aside as well, with their receipts. It is the witness of those: what came
//! again among them, or is held there too, it tells of at the end, so that nothing has to be written twice.

use super::FlowBook;
use crate::plan::FlowRules;

/// The first consumer that must see the events of all times; whether it must see all of them shows as they come.
pub(super) fn witness(rules: &FlowRules) -> Option<usize> {
    let all = |place: &usize| {
        let consumer = &rules.consumers[*place];
        consumer.since.is_none() && consumer.until.is_none()
    };
    (0..rules.consumers.len()).find(all).filter(|_| !rules.event_ids_unique)
}

impl FlowBook {
    /// Whether the witness must see events that these consumers (bits) must see. One that must not makes it none.
    pub(super) fn is_witnessed(&mut self, expected_by: u64) -> bool {
        if self.witness.is_some_and(|place| expected_by >> place & 1 == 0) {
            self.dismiss_witness();
        }
        self.witness.is_some()
    }

    /// Notes what was left to the witness, and from here on everything.
    pub(super) fn dismiss_witness(&mut self) {
        let Some(place) = self.witness.take() else { return };
        if let Some(book) = &mut self.consumers[place] {
            book.pairing.hand_over(&mut self.own);
        }
    }
}
