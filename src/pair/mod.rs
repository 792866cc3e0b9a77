//! Events and receipts of one consumer, paired by id while they are read.
//!
//! This is only a fast filter: what pairs cleanly is settled, so that memory holds a slice and the unpaired. Where ids are
//! unique on both sides it is dropped at once; else it is set aside until everything was read, since its id may come again.
//! Everything else is a suspect that only a look-up by id decides.

mod digests;
mod entry;
mod filter;
mod seen;
mod settled;
mod slice;
mod spill;

pub use digests::{Digests, Joined};
pub use seen::Seen;
pub use slice::{Met, pair_up};

use crate::classify::{Delivery, Facts};
use crate::model::{Id, Micros};
pub use filter::IdHash;
use filter::{Filters, mixed};
use hashbrown::HashMap;
use hashbrown::hash_map::{Entry as Place, EntryRef as RefPlace};
use seen::NEVER;
use settled::Settled;
use spill::Spill;

/// A filter has room for so many times as many ids as are held.
const FILTERED: usize = 8;
/// That of what is held stays in the processor's cache, and has room for so many; with more it only helps less.
const MARKED: usize = 1 << 16;

/// How much a pairing may hold in memory.
#[derive(Clone, Copy, Debug, Default)]
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
        let bytes = usize::try_from(bytes).unwrap_or(usize::MAX) / pairings.max(1);
        // A table has a power of two of places, of which it fills seven in eight before it doubles.
        let places = ((bytes / Self::COST).max(16) + 1).next_power_of_two() / 2;
        Self { held_max: places / 8 * 7 }
    }
}

/// The unpaired; where an id may come again, also what has paired.
#[derive(Debug, Default)]
pub struct Pairing {
    seen: HashMap<Id, Seen>,
    /// Of all that was ever held: nearly every pair of a slice is asked for, and hardly any is.
    marked: Filters,
    hasher: IdHash,
    ids_unique: bool,
    late_after: Option<i64>,
    room: Room,
    settled: Settled,
    spill: Spill,
    /// All of it is in the spill, to be taken part by part.
    parted: bool,
    /// Why something was lost.
    lost: Option<String>,
}

/// What becomes of something that needs no look-up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Settling {
    /// Nothing more will come of its id: the caller enters it.
    Now,
    /// Something may: it was set aside, and the caller enters it once that is [recalled](Pairing::recall).
    Later,
}

/// A pair that needs no look-up, and when it can be entered.
pub type Complete = (Delivery, Settling);

/// What is told of things that were set aside, where some of them came again.
#[derive(Clone, Debug)]
pub enum Recalled<'r> {
    /// Nothing else came of this id.
    Settled(&'r Id, Delivery),
    /// This was set aside, and its id may have come again, or is asked for: it is held.
    Again(&'r Id, &'r Seen),
    /// Two events of one id, and what they are together.
    Merged(&'r Facts, &'r Facts, &'r Facts),
}

impl Pairing {
    /// An empty pairing; `ids_unique` says that neither side can hold an id twice, `late_after` when a message is late, in
    /// microseconds.
    #[must_use]
    pub fn new(ids_unique: bool, late_after: Option<i64>, room: Room) -> Self {
        Self { ids_unique, late_after, room, spill: Spill::new(room.held_max), ..Self::default() }
    }

    /// Settles a pair in a slice that needs no look-up; `None` where ids are unique and something is held under this one, as
    /// it is where a row changes while the run reads. `hash` is the id's by [`Self::hasher`].
    pub fn settle(
        &mut self,
        hash: u64,
        id: impl Fn() -> Id,
        seen: impl FnOnce() -> Seen,
    ) -> Option<Settling> {
        if self.ids_unique {
            return (!self.holds_hashed(hash, id)).then_some(Settling::Now);
        }
        self.set_aside(&id(), &seen());
        Some(Settling::Later)
    }

    /// What ids are hashed by.
    #[must_use]
    pub fn hasher(&self) -> &IdHash {
        &self.hasher
    }

    /// Settles a receipt that matters only if something else came of its id; nothing more will but such receipts.
    pub fn settle_outside(&mut self, id: &Id, at: Option<Micros>) -> Option<Settling> {
        if self.holds(id) {
            return None;
        }
        match self.settled.may_hold(id, self.room.held_max * FILTERED) {
            Ok(false) => return Some(Settling::Now),
            Ok(true) => self.set_aside(id, &Seen::of_receipt(at)),
            Err(error) => self.lose(&error),
        }
        Some(Settling::Later)
    }

    /// Sets aside what needs no look-up unless its id comes again.
    pub fn set_aside(&mut self, id: &Id, seen: &Seen) {
        if self.lost.is_some() {
            return; // Nothing can be said of the whole, and what was set aside will not be recalled.
        }
        if let Err(error) = self.settled.add(id, seen) {
            self.lose(&error);
        }
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
        self.settled = Settled::default();
        self.lost.get_or_insert_with(|| {
            format!(
                "what did not fit into memory could not be kept in {} ({error}); set TMPDIR to a folder with more room, or raise `max_memory`",
                std::env::temp_dir().display()
            )
        });
    }

    /// Takes in an event row, or its short form; gives what the id's event was before and is now, and the pair if it is
    /// complete.
    pub fn event(&mut self, id: &Id, row: Facts, short: bool) -> (Option<Facts>, Facts, Option<Complete>) {
        self.make_room();
        let mut place = match self.seen.entry_ref(id) {
            RefPlace::Occupied(place) => place,
            RefPlace::Vacant(place) => {
                place.insert(Seen::of_event(row, short));
                self.marked.mark(mixed(self.hasher.of(id)), MARKED);
                return (None, row, None);
            }
        };
        let seen = place.get_mut();
        seen.short |= short;
        let before = seen.event();
        let now = before.map_or(row, |facts| facts.merged(row));
        seen.set_event(now);
        let complete = seen.is_settled(self.late_after);
        (before, now, complete.then(|| self.complete(id)).flatten())
    }

    /// Takes in a receipt; gives the pair if it is complete.
    pub fn receipt(&mut self, id: Id, at: Option<Micros>) -> Option<(Id, Complete)> {
        self.make_room();
        let mut place = match self.seen.entry(id) {
            Place::Occupied(place) => place,
            Place::Vacant(place) => {
                self.marked.mark(mixed(self.hasher.of(place.key())), MARKED);
                place.insert(Seen::of_receipt(at));
                return None;
            }
        };
        let seen = place.get_mut();
        seen.receipts = seen.receipts.saturating_add(1);
        seen.first = seen.first.min(at.unwrap_or(NEVER));
        if !seen.is_settled(self.late_after) {
            return None;
        }
        let id = place.key().clone();
        self.complete(&id).map(|delivery| (id, delivery))
    }

    /// Lets go of a pair that is held and needs no look-up, unless there may be more of its id elsewhere.
    fn complete(&mut self, id: &Id) -> Option<Complete> {
        // Of what may have been put out of memory nothing is known to be all that there is.
        if self.spill.may_hold(id) {
            return None;
        }
        let seen = self.seen.remove(id)?;
        if self.ids_unique {
            return Some((seen.delivery(), Settling::Now));
        }
        self.set_aside(id, &seen);
        Some((seen.delivery(), Settling::Later))
    }

    /// Everything was read: `true` where nothing that was set aside has come again, nor is `known` otherwise, so that all of
    /// it stands. Else it is told of one by one, and what came again is held as if it had never been set aside.
    pub fn recall<'k>(
        &mut self,
        known: impl Iterator<Item = &'k Id>,
        tell: &mut dyn FnMut(Recalled<'_>),
    ) -> bool {
        let settled = std::mem::take(&mut self.settled);
        if self.lost.is_some() || settled.is_empty() {
            return self.lost.is_none();
        }
        let mut held: Vec<_> = self.seen.keys().map(|id| settled.hash(id)).collect();
        held.extend(known.map(|id| settled.hash(id)));
        let (runs, spilled) = (self.spill.runs(), self.is_spilled());
        let outcome = settled.recall(held, spilled, &mut |id, seen, alone| {
            if alone && !(spilled && self.spill.may_hold_among(&id, runs)) {
                tell(Recalled::Settled(&id, seen.delivery()));
            } else {
                tell(Recalled::Again(&id, &seen));
                self.hold(id, seen, &mut |one, other, now| tell(Recalled::Merged(one, other, now)));
            }
        });
        outcome.unwrap_or_else(|error| {
            self.lose(&error);
            false
        })
    }

    /// Has another set aside the events that nobody but this one has a note of. What was lost here is lost there too.
    pub fn hand_over(&mut self, to: &mut Self) {
        let outcome = self.settled.each(&mut |id, seen| to.note_sole(id, seen));
        if let Err(error) = outcome {
            self.lose(&error);
        }
        if let Some(why) = &self.lost {
            to.settled = Settled::default();
            to.lost.get_or_insert_with(|| why.clone());
        }
    }

    /// Sets aside the event of what another pairing has seen, if nobody else has a note of it.
    pub fn note_sole(&mut self, id: &Id, seen: &Seen) {
        if let Some(facts) = seen.sole_event() {
            self.set_aside(id, &Seen::of_event(facts, seen.is_short()));
        }
    }

    fn hold(&mut self, id: Id, seen: Seen, merged: &mut dyn FnMut(&Facts, &Facts, &Facts)) {
        self.make_room();
        match self.seen.entry(id) {
            Place::Vacant(place) => {
                self.marked.mark(mixed(self.hasher.of(place.key())), MARKED);
                place.insert(seen);
            }
            Place::Occupied(mut place) => place.get_mut().add(seen, merged),
        }
    }

    /// Everything was read, and recalled. `parted`: it is taken in parts, else in one.
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
        self.holds_hashed(self.hasher.of(id), || id.clone())
    }

    fn holds_hashed(&self, hash: u64, id: impl Fn() -> Id) -> bool {
        self.marked.may_hold_hash(mixed(hash)) && self.seen.contains_key(&id())
            || self.is_spilled() && self.spill.may_hold(&id())
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
mod tests;
