//! Events and receipts of one consumer, paired by the digests of their ids: what pairs cleanly is dropped at once, and
//! of the rest it is known when it was, so that its rows can be found again.

use crate::model::{Micros, PackedRow};
use hashbrown::HashMap;
use hashbrown::hash_map::Entry;

/// What became of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// The other side's row has not come yet, or both are held.
    Held,
    /// One acked event and its receipt, and nothing to be said of either.
    Pair {
        /// The event's ack.
        acked: Micros,
        /// The receipt's time.
        consumed: Micros,
    },
    /// The same side holds this digest already.
    Twice,
}

#[derive(Clone, Copy, Debug, Default)]
struct Both {
    acked: Option<Micros>,
    consumed: Option<Micros>,
}

/// The unpaired, and pairs that are late or whose id is known from elsewhere.
#[derive(Debug, Default)]
pub struct Digests {
    held: HashMap<u64, Both>,
    late_after: Option<i64>,
}

impl Digests {
    /// What one digest that is held costs in memory, in bytes, where a table is half full.
    pub const COST: usize = 2 * size_of::<(u64, Both)>();

    /// Nothing yet; `late_after` says when a message is late, in microseconds.
    #[must_use]
    pub fn new(late_after: Option<i64>) -> Self {
        Self { late_after, ..Self::default() }
    }

    /// Takes in an acked event; `known`: its id is known from elsewhere, so that it is held in any case.
    pub fn event(&mut self, row: PackedRow, known: bool) -> Joined {
        self.join(row.digest, known, |both| both.acked.replace(row.at).is_some())
    }

    /// Takes in a receipt; `known` as for [`Digests::event`].
    pub fn receipt(&mut self, row: PackedRow, known: bool) -> Joined {
        self.join(row.digest, known, |both| both.consumed.replace(row.at).is_some())
    }

    fn join(&mut self, digest: u64, known: bool, put: impl FnOnce(&mut Both) -> bool) -> Joined {
        let mut place = match self.held.entry(digest) {
            Entry::Occupied(place) => place,
            Entry::Vacant(place) => {
                let mut both = Both::default();
                put(&mut both);
                place.insert(both);
                return Joined::Held;
            }
        };
        if put(place.get_mut()) {
            return Joined::Twice;
        }
        let Both { acked: Some(acked), consumed: Some(consumed) } = *place.get() else { return Joined::Held };
        let late = self.late_after.is_some_and(|late_after| consumed.since(acked) > late_after);
        if known || late {
            return Joined::Held;
        }
        place.remove();
        Joined::Pair { acked, consumed }
    }

    /// Whether either side's row is held.
    #[must_use]
    pub fn holds(&self, digest: u64) -> bool {
        self.held.contains_key(&digest)
    }

    /// How many digests are held.
    #[must_use]
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Whether none is.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.held.is_empty()
    }

    /// The events that are held, and whether a receipt of their digest is.
    pub fn events(&self) -> impl Iterator<Item = (PackedRow, bool)> {
        self.held.iter().filter_map(|(digest, both)| {
            Some((PackedRow { digest: *digest, at: both.acked? }, both.consumed.is_some()))
        })
    }

    /// The receipts that are held, and whether an event of their digest is.
    pub fn receipts(&self) -> impl Iterator<Item = (PackedRow, bool)> {
        self.held.iter().filter_map(|(digest, both)| {
            Some((PackedRow { digest: *digest, at: both.consumed? }, both.acked.is_some()))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(digest: u64, at: i64) -> PackedRow {
        PackedRow { digest, at: Micros(at) }
    }

    #[test]
    fn what_pairs_is_dropped_and_what_does_not_is_held_with_its_time() {
        let mut digests = Digests::new(Some(100));
        assert_eq!(digests.event(row(1, 10), false), Joined::Held);
        assert_eq!(digests.receipt(row(2, 15), false), Joined::Held);
        let pair = |acked, consumed| Joined::Pair { acked: Micros(acked), consumed: Micros(consumed) };
        assert_eq!(digests.receipt(row(1, 110), false), pair(10, 110));
        assert_eq!(digests.event(row(2, 20), false), pair(20, 15), "a clock that is behind");
        assert!(digests.is_empty());
        for (digest, consumed, known) in [(3, 111, false), (4, 12, true)] {
            assert_eq!(digests.event(row(digest, 10), false), Joined::Held);
            assert_eq!(digests.receipt(row(digest, consumed), known), Joined::Held, "late, or known");
        }
        assert_eq!(digests.receipt(row(5, 50), false), Joined::Held);
        let (mut events, mut receipts): (Vec<_>, Vec<_>) =
            (digests.events().collect(), digests.receipts().collect());
        events.sort_unstable();
        receipts.sort_unstable();
        assert_eq!(events, [(row(3, 10), true), (row(4, 10), true)]);
        assert_eq!(receipts, [(row(3, 111), true), (row(4, 12), true), (row(5, 50), false)]);
    }

    #[test]
    fn one_side_never_holds_a_digest_twice() {
        let mut digests = Digests::new(None);
        assert_eq!(digests.event(row(1, 10), false), Joined::Held);
        assert_eq!(digests.event(row(1, 11), false), Joined::Twice);
        assert_eq!(digests.receipt(row(2, 10), false), Joined::Held);
        assert_eq!(digests.receipt(row(2, 10), false), Joined::Twice);
    }
}
