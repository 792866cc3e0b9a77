//! Events and receipts of one consumer, paired by id while they are read.
//!
//! This is only a fast filter: what pairs cleanly is settled and (where ids are unique on both sides) dropped at once,
//! so that memory holds a slice and the unpaired. Everything else is a suspect that only a look-up by id decides.

use crate::classify::{Delivery, Facts};
use crate::model::{Id, Micros, State};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry as Place;

/// No receipt with a usable time.
const NEVER: Micros = Micros(i64::MAX);

/// What the first pass has seen of one id.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// The event, if one of the range was read.
    pub event: Option<Facts>,
    /// How many receipt rows were read.
    pub receipts: u32,
    first: Micros,
}

impl Seen {
    /// Neither event nor receipt.
    pub const NOTHING: Self = Self { event: None, receipts: 0, first: NEVER };

    /// The earliest usable receipt time.
    #[must_use]
    pub fn first(&self) -> Option<Micros> {
        (self.first != NEVER).then_some(self.first)
    }

    /// One acked row and one receipt: nothing to look up.
    fn is_settled(&self) -> bool {
        self.receipts == 1 && self.event.is_some_and(|event| event.state == State::Acked && event.rows == 1)
    }

    fn delivery(&self) -> Delivery {
        Delivery {
            event: self.event,
            receipts: self.receipts.into(),
            first: self.first(),
            last: self.first(),
            dead: None,
        }
    }
}

/// The unpaired, and (where an id may come again) the paired as well.
#[derive(Debug, Default)]
pub struct Pairing {
    seen: HashMap<Id, Seen>,
    ids_unique: bool,
}

impl Pairing {
    /// An empty pairing; `ids_unique` says that neither side can hold an id twice.
    #[must_use]
    pub fn new(ids_unique: bool) -> Self {
        Self { seen: HashMap::new(), ids_unique }
    }

    /// Takes in an event row; gives what the id's event was before and is now, and the pair if it is complete.
    pub fn event(&mut self, id: &Id, row: Facts) -> (Option<Facts>, Facts, Option<Delivery>) {
        let seen = self.seen.entry_ref(id).or_insert(Seen::NOTHING);
        let before = seen.event;
        let now = before.map_or(row, |facts| facts.merged(row));
        seen.event = Some(now);
        (before, now, self.settle(id))
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
        if !(self.ids_unique && seen.is_settled()) {
            return None;
        }
        let (id, seen) = place.remove_entry();
        Some((id, seen.delivery()))
    }

    fn settle(&mut self, id: &Id) -> Option<Delivery> {
        if !(self.ids_unique && self.seen.get(id).is_some_and(Seen::is_settled)) {
            return None;
        }
        self.seen.remove(id).map(|seen| seen.delivery())
    }

    /// What is left when everything was read: pairs that are settled after all, and suspects.
    #[must_use]
    pub fn close(self) -> (Vec<(Id, Delivery)>, HashMap<Id, Seen>) {
        let mut seen = self.seen;
        let settled =
            seen.extract_if(|_, seen| seen.is_settled()).map(|(id, seen)| (id, seen.delivery())).collect();
        (settled, seen)
    }

    /// How many ids are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.seen.len()
    }

    /// Whether nothing is held.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty()
    }
}
