//! Events and receipts of one consumer, paired by id while they are read.
//!
//! This is only a fast filter: what pairs cleanly is settled and (where ids are unique on both sides) dropped at once,
//! so that memory holds a slice and the unpaired. Everything else is a suspect that only a look-up by id decides.

mod digests;
mod entry;
mod filter;
mod slice;
mod spill;

pub use digests::{Digests, Joined};
pub use slice::{Met, pair_up};

use crate::classify::{Delivery, Facts};
use crate::model::{Id, Micros, State};
use hashbrown::HashMap;
use hashbrown::hash_map::{Entry as Place, EntryRef as RefPlace};
use spill::Spill;

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

    /// The message, where everything is known of it: see [`Pairing`].
    #[must_use]
    pub fn settled(&self, late_after: Option<i64>) -> Option<Delivery> {
        self.is_settled(late_after).then(|| self.delivery())
    }

    /// One acked row and one receipt: nothing to look up. A late message is listed with what a look-up says of it: its
    /// creation time, which the short form lacks, and whether its dead letter is still open.
    fn is_settled(&self, late_after: Option<i64>) -> bool {
        let pair = self.receipts == 1 && self.rows == 1 && self.state == State::Acked;
        pair && !self.is_late(late_after)
    }

    fn is_late(&self, late_after: Option<i64>) -> bool {
        let took = usable(self.first).zip(usable(self.acked)).map(|(first, acked)| first.since(acked));
        took.zip(late_after).is_some_and(|(took, late_after)| took > late_after)
    }

    /// Takes in what else was seen of the same id.
    fn add(&mut self, other: Self, merged: &mut dyn FnMut(&Facts, &Facts, &Facts)) {
        if let Some(theirs) = other.event() {
            match self.event() {
                Some(ours) => {
                    let now = ours.merged(theirs);
                    merged(&ours, &theirs, &now);
                    self.set_event(now);
                }
                None => self.set_event(theirs),
            }
        }
        self.short |= other.short;
        self.receipts = self.receipts.saturating_add(other.receipts);
        self.first = self.first.min(other.first);
    }

    fn delivery(&self) -> Delivery {
        let (receipts, first) = (self.receipts.into(), self.first());
        Delivery { event: self.event(), receipts, first, last: first, dead: None }
    }
}

fn usable(at: Micros) -> Option<Micros> {
    (at != NEVER).then_some(at)
}

/// How much a pairing may hold in memory.
#[derive(Clone, Copy, Debug)]
pub struct Room {
    /// So many ids.
    pub held_max: usize,
}

impl Room {
    /// What an id costs in memory, in bytes; the byte of the table's own beside it does not count.
    const COST: usize = size_of::<(Id, Seen)>();

    /// Room for `pairings` of a flow in so many bytes.
    #[must_use]
    pub fn within(bytes: u64, pairings: usize) -> Self {
        let places = usize::try_from(bytes).unwrap_or(usize::MAX) / Self::COST / pairings.max(1);
        // A table has a power of two of places, of which it fills seven in eight before it doubles.
        let places = (places.max(16) + 1).next_power_of_two() / 2;
        Self { held_max: places / 8 * 7 }
    }
}

/// The unpaired, and (where an id may come again) the paired as well.
#[derive(Debug)]
pub struct Pairing {
    seen: HashMap<Id, Seen>,
    ids_unique: bool,
    late_after: Option<i64>,
    room: Room,
    spill: Spill,
    /// All of it is in the spill, to be taken part by part.
    parted: bool,
    /// Why something was lost.
    lost: Option<String>,
}

impl Pairing {
    /// An empty pairing; `ids_unique` says that neither side can hold an id twice, `late_after` when a message is late, in
    /// microseconds.
    #[must_use]
    pub fn new(ids_unique: bool, late_after: Option<i64>, room: Room) -> Self {
        let (seen, spill) = (HashMap::new(), Spill::new(room.held_max));
        Self { seen, ids_unique, late_after, room, spill, parted: false, lost: None }
    }

    /// Whether a pair can be settled as it is met in a slice: no id comes twice, and nothing is held under this one, as it
    /// is where a row changes while the run reads.
    #[must_use]
    pub fn settles_at_once(&self, id: impl FnOnce() -> Id) -> bool {
        self.ids_unique && (self.is_empty() || !self.holds(&id()))
    }

    /// Of what may have been spilled nothing is known to be all that there is.
    fn settles(&self, id: &Id) -> bool {
        self.ids_unique && !self.has_spilled(id)
    }

    /// Whether nothing is held, here or in the spill.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.seen.is_empty() && self.spill.is_empty()
    }

    /// Whether more came than is held in memory.
    #[must_use]
    pub fn is_spilled(&self) -> bool {
        !self.spill.is_empty()
    }

    /// Whether something of this id may have been put out of memory.
    #[must_use]
    pub fn has_spilled(&self, id: &Id) -> bool {
        self.spill.may_hold(id)
    }

    /// Why something that came was lost, if it was: nothing can be said of the whole then.
    #[must_use]
    pub fn lost(&self) -> Option<&str> {
        self.lost.as_deref()
    }

    /// Forgets an id that is held.
    pub fn remove(&mut self, id: &Id) {
        self.seen.remove(id);
    }

    fn make_room(&mut self) {
        if self.seen.len() >= self.room.held_max {
            self.put_away();
        }
    }

    fn put_away(&mut self) {
        if self.seen.is_empty() {
            return;
        }
        if let Err(error) = self.spill.put(&self.seen) {
            self.lose(&error);
        }
        self.seen.clear();
    }

    fn lose(&mut self, error: &std::io::Error) {
        self.lost.get_or_insert_with(|| {
            format!(
                "what did not fit into memory could not be kept in {} ({error}); set TMPDIR to a folder with more room, or raise `max_memory`",
                std::env::temp_dir().display()
            )
        });
    }

    /// Takes in an event row, or its short form; gives what the id's event was before and is now, and the pair if it is
    /// complete.
    pub fn event(&mut self, id: &Id, row: Facts, short: bool) -> (Option<Facts>, Facts, Option<Delivery>) {
        self.make_room();
        let settles = self.settles(id);
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
        let complete = settles && seen.is_settled(self.late_after);
        (before, now, complete.then(|| place.remove().delivery()))
    }

    /// Takes in a receipt; gives the pair if it is complete.
    pub fn receipt(&mut self, id: Id, at: Option<Micros>) -> Option<(Id, Delivery)> {
        self.make_room();
        let settles = self.settles(&id);
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
        if !(settles && seen.is_settled(self.late_after)) {
            return None;
        }
        let (id, seen) = place.remove_entry();
        Some((id, seen.delivery()))
    }

    /// Everything was read. `parted`: it is taken in parts, else in one.
    pub fn close(&mut self, parted: bool) {
        if parted {
            self.put_away();
            self.seen = HashMap::new();
        }
        self.spill.close();
        self.parted = parted;
    }

    /// Takes everything below an id that was not taken yet. Where several runs of it have an event of the same id,
    /// `merged` is told of two and of what they are together.
    #[must_use]
    pub fn take(
        &mut self,
        until: Option<&Id>,
        merged: &mut dyn FnMut(&Facts, &Facts, &Facts),
    ) -> HashMap<Id, Seen> {
        if !self.parted {
            return std::mem::take(&mut self.seen);
        }
        let mut all: HashMap<Id, Seen> = HashMap::new();
        let outcome = self.spill.take(until, &mut |id, seen| match all.entry(id) {
            Place::Vacant(place) => _ = place.insert(seen),
            Place::Occupied(mut place) => place.get_mut().add(seen, merged),
        });
        if let Err(error) = outcome {
            self.lose(&error);
        }
        all
    }

    /// Whether the id's event or a receipt of it is held, or may have been put out of memory.
    #[must_use]
    pub fn holds(&self, id: &Id) -> bool {
        self.seen.contains_key(id) || self.has_spilled(id)
    }
}

/// The ids at which closed pairings of a flow are parted, so that no part of any of them needs more room than it has.
#[must_use]
pub fn bounds(pairings: &[&Pairing]) -> Vec<Id> {
    let marks: Vec<_> = pairings.iter().map(|pairing| pairing.spill.marks(pairing.room.held_max)).collect();
    let mut bounds: Vec<Id> = Vec::new();
    while let Some(next) = marks.iter().filter_map(|marks| marks.end(bounds.last())).min().cloned() {
        bounds.push(next);
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_that_is_held_costs_little() {
        assert_eq!(size_of::<(Id, Seen)>(), 64);
    }
}
