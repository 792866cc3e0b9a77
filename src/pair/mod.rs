//! Events and receipts of one consumer, paired by id while they are read.
//!
//! This is only a fast filter: what pairs cleanly is settled and (where ids are unique on both sides) dropped at once,
//! so that memory holds a slice and the unpaired. Everything else is a suspect that only a look-up by id decides.

mod slice;

pub use slice::{Met, pair_up};

use crate::classify::{Delivery, Facts};
use crate::model::{Id, Micros, State};
use hashbrown::HashMap;
use hashbrown::hash_map::{Entry as Place, EntryRef as RefPlace};

/// No such time.
const NEVER: Micros = Micros(i64::MAX);

/// What the first pass has seen of one id: packed, since there is one for each id that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How many receipt rows were read.
    pub receipts: u32,
    /// 0: no event of the range was read.
    rows: u32,
    state: State,
    /// A row came in the short form, without its creation time.
    short: bool,
    acked: Micros,
    created: Micros,
    first: Micros,
}

impl Seen {
    /// Neither event nor receipt.
    pub const NOTHING: Self = Self {
        receipts: 0,
        rows: 0,
        state: State::Unknown,
        short: false,
        acked: NEVER,
        created: NEVER,
        first: NEVER,
    };

    /// The event, if one of the range was read.
    #[must_use]
    pub fn event(&self) -> Option<Facts> {
        let (acked, created) = (usable(self.acked), usable(self.created));
        (self.rows > 0).then_some(Facts { state: self.state, acked, created, rows: self.rows })
    }

    fn set_event(&mut self, facts: Facts) {
        self.rows = facts.rows;
        self.state = facts.state;
        self.acked = facts.acked.unwrap_or(NEVER);
        self.created = facts.created.unwrap_or(NEVER);
    }

    /// The earliest usable receipt time.
    #[must_use]
    pub fn first(&self) -> Option<Micros> {
        usable(self.first)
    }

    /// Whether a row came in the short form, so that its creation time has still to be asked for.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.short
    }

    /// One acked row and one receipt: nothing to look up. A late message is listed with its creation time, which the
    /// short form lacks.
    fn is_settled(&self, late_after: Option<i64>) -> bool {
        let pair = self.receipts == 1 && self.rows == 1 && self.state == State::Acked;
        pair && !(self.short && self.is_late(late_after))
    }

    fn is_late(&self, late_after: Option<i64>) -> bool {
        let took = usable(self.first).zip(usable(self.acked)).map(|(first, acked)| first.since(acked));
        took.zip(late_after).is_some_and(|(took, late_after)| took > late_after)
    }

    fn delivery(&self) -> Delivery {
        let (receipts, first) = (self.receipts.into(), self.first());
        Delivery { event: self.event(), receipts, first, last: first, dead: None }
    }
}

fn usable(at: Micros) -> Option<Micros> {
    (at != NEVER).then_some(at)
}

/// The unpaired, and (where an id may come again) the paired as well.
#[derive(Debug, Default)]
pub struct Pairing {
    seen: HashMap<Id, Seen>,
    ids_unique: bool,
    late_after: Option<i64>,
}

impl Pairing {
    /// An empty pairing; `ids_unique` says that neither side can hold an id twice, `late_after` when a message is late, in
    /// microseconds.
    #[must_use]
    pub fn new(ids_unique: bool, late_after: Option<i64>) -> Self {
        Self { ids_unique, late_after, ..Self::default() }
    }

    /// Whether a pair can be settled as it is met in a slice: no id comes twice, and nothing is held under this one, as it
    /// is where a row changes while the run reads.
    #[must_use]
    pub fn settles_at_once(&self, id: impl FnOnce() -> Id) -> bool {
        self.ids_unique && (self.seen.is_empty() || !self.seen.contains_key(&id()))
    }

    /// Takes in an event row, or its short form; gives what the id's event was before and is now, and the pair if it is
    /// complete.
    pub fn event(&mut self, id: &Id, row: Facts, short: bool) -> (Option<Facts>, Facts, Option<Delivery>) {
        let mut place = match self.seen.entry_ref(id) {
            RefPlace::Occupied(place) => place,
            RefPlace::Vacant(place) => {
                let mut seen = Seen { short, ..Seen::NOTHING };
                seen.set_event(row);
                place.insert(seen);
                return (None, row, None);
            }
        };
        let seen = place.get_mut();
        seen.short |= short;
        let before = seen.event();
        let now = before.map_or(row, |facts| facts.merged(row));
        seen.set_event(now);
        let complete = self.ids_unique && seen.is_settled(self.late_after);
        (before, now, complete.then(|| place.remove().delivery()))
    }

    /// Takes in a receipt; gives the pair if it is complete.
    pub fn receipt(&mut self, id: Id, at: Option<Micros>) -> Option<(Id, Delivery)> {
        let mut place = match self.seen.entry(id) {
            Place::Occupied(place) => place,
            Place::Vacant(place) => {
                place.insert(Seen { receipts: 1, first: at.unwrap_or(NEVER), ..Seen::NOTHING });
                return None;
            }
        };
        let seen = place.get_mut();
        seen.receipts = seen.receipts.saturating_add(1);
        seen.first = seen.first.min(at.unwrap_or(NEVER));
        if !(self.ids_unique && seen.is_settled(self.late_after)) {
            return None;
        }
        let (id, seen) = place.remove_entry();
        Some((id, seen.delivery()))
    }

    /// Everything was read: hands over the pairs that are settled after all, gives the suspects. A pair that is not
    /// taken stays a suspect.
    #[must_use]
    pub fn close(self, mut taken: impl FnMut(&Id, &Delivery) -> bool) -> HashMap<Id, Seen> {
        let mut seen = self.seen;
        let late_after = self.late_after;
        seen.retain(|id, seen| !(seen.is_settled(late_after) && taken(id, &seen.delivery())));
        seen.shrink_to_fit();
        seen
    }

    /// Whether the id's event or a receipt of it is held.
    #[must_use]
    pub fn holds(&self, id: &Id) -> bool {
        self.seen.contains_key(id)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_held_costs_little() {
        assert_eq!(size_of::<(Id, Seen)>(), 64);
    }
}
