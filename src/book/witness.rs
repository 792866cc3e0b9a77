//! The producer's own count, where an id may have several events: each is set aside until it is known which came again.
//!
//! A consumer that must see every event sets them aside as well, with their receipts. It is the witness of those: what came
//! again among them, or is held there too, it tells of at the end, so that nothing has to be written twice.

use super::FlowBook;
use crate::plan::FlowRules;

/// The first consumer that must see all events.
pub(super) fn witness(rules: &FlowRules) -> Option<usize> {
    let all = |place: &usize| {
        let consumer = &rules.consumers[*place];
        consumer.since.is_none() && consumer.until.is_none() && !consumer.selective
    };
    (0..rules.consumers.len()).find(all).filter(|_| !rules.event_ids_unique)
}

impl FlowBook {
    /// Whether the witness must see events that these consumers (bits) must see. One that must not makes it none, be that
    /// what it may.
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

#[cfg(test)]
mod tests {
    use super::super::heal::tests::rules;
    use super::*;
    use crate::model::Micros;
    use crate::plan::ConsumerRules;

    #[test]
    fn only_who_must_see_everything_is_a_witness() {
        let all = rules().consumers[0].clone();
        let late = ConsumerRules { since: Some(Micros(1)), ..all.clone() };
        let some = ConsumerRules { selective: true, ..all.clone() };
        let consumers = vec![late, some, all.clone(), all];
        let repeated = FlowRules { event_ids_unique: false, consumers, ..rules() };
        assert_eq!(witness(&repeated), Some(2));
        assert_eq!(
            witness(&FlowRules { event_ids_unique: true, ..repeated.clone() }),
            None,
            "nothing comes again"
        );
        let mut book = FlowBook::streamed(repeated);
        assert!(book.is_witnessed(0b100));
        assert!(!book.is_witnessed(0b011), "one that it need not see");
        assert!(!book.is_witnessed(u64::MAX), "and it is none any more");
    }
}
