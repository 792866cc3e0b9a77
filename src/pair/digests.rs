//! Events and receipts of one consumer, paired by the digests of their ids: what pairs cleanly is dropped at once, and
//! of the rest it is known when it was, so that its rows can be found again.
//!
//! A slice of each side is sorted and merged with what is held, in the order of digests. A hash table would take a miss of
//! the processor's cache or two for every row, which is several times as much as sorting them.

use crate::model::{Micros, PackedRow};

/// What a slice came to.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Joined {
    /// One acked event and its receipt each, and nothing to be said of either: when it was acked, when consumed.
    pub pairs: Vec<(Micros, Micros)>,
    /// Receipts that need not wait for an event.
    pub outside: u64,
    /// One side had a digest twice.
    pub twice: bool,
}

#[derive(Clone, Copy, Debug)]
struct Held {
    digest: u64,
    acked: Option<Micros>,
    consumed: Option<Micros>,
}

/// The unpaired, and pairs that are late or whose id is known from elsewhere.
#[derive(Debug, Default)]
pub struct Digests {
    /// In the order of the digests.
    held: Vec<Held>,
    late_after: Option<i64>,
}

impl Digests {
    /// What one digest that is held costs in memory, in bytes: it stands in two lists while a slice is merged.
    pub const COST: usize = 2 * size_of::<Held>();

    /// Nothing yet; `late_after` says when a message is late, in microseconds.
    #[must_use]
    pub fn new(late_after: Option<i64>) -> Self {
        Self { late_after, ..Self::default() }
    }

    /// Takes in the acked events and the receipts of a slice. Rows whose id is `known` from elsewhere are held in any case;
    /// a receipt that does not `wait` is held only beside another row of its digest.
    pub fn join(
        &mut self,
        mut events: Vec<PackedRow>,
        mut receipts: Vec<PackedRow>,
        known: impl Fn(u64) -> bool,
        waits: impl Fn(PackedRow) -> bool,
    ) -> Joined {
        events.sort_unstable();
        receipts.sort_unstable();
        let mut held = std::mem::take(&mut self.held).into_iter().peekable();
        let (mut events, mut receipts) = (events.into_iter().peekable(), receipts.into_iter().peekable());
        let mut joined = Joined::default();
        loop {
            let sides = [events.peek(), receipts.peek()].into_iter().flatten().map(|row| row.digest);
            let Some(digest) = sides.chain(held.peek().map(|both| both.digest)).min() else { return joined };
            let both = held.next_if(|both| both.digest == digest);
            let mut both = both.unwrap_or(Held { digest, acked: None, consumed: None });
            while let Some(row) = events.next_if(|row| row.digest == digest) {
                joined.twice |= both.acked.replace(row.at).is_some();
            }
            while let Some(row) = receipts.next_if(|row| row.digest == digest) {
                if both.is_empty() && !waits(row) {
                    joined.outside += 1;
                } else {
                    joined.twice |= both.consumed.replace(row.at).is_some();
                }
            }
            match self.pair(both) {
                Some(pair) if !known(digest) => joined.pairs.push(pair),
                _ if both.is_empty() => {}
                _ => self.held.push(both),
            }
        }
    }

    /// Both times, of a message that is not late.
    fn pair(&self, both: Held) -> Option<(Micros, Micros)> {
        let (acked, consumed) = both.acked.zip(both.consumed)?;
        let late = self.late_after.is_some_and(|late_after| consumed.since(acked) > late_after);
        (!late).then_some((acked, consumed))
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
        self.held.iter().filter_map(|both| {
            Some((PackedRow { digest: both.digest, at: both.acked? }, both.consumed.is_some()))
        })
    }

    /// The receipts that are held, and whether an event of their digest is.
    pub fn receipts(&self) -> impl Iterator<Item = (PackedRow, bool)> {
        self.held.iter().filter_map(|both| {
            Some((PackedRow { digest: both.digest, at: both.consumed? }, both.acked.is_some()))
        })
    }
}

impl Held {
    fn is_empty(&self) -> bool {
        self.acked.is_none() && self.consumed.is_none()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(digest: u64, at: i64) -> PackedRow {
        PackedRow { digest, at: Micros(at) }
    }

    fn join(digests: &mut Digests, events: &[(u64, i64)], receipts: &[(u64, i64)]) -> Joined {
        let rows = |rows: &[(u64, i64)]| rows.iter().map(|(digest, at)| row(*digest, *at)).collect();
        digests.join(rows(events), rows(receipts), |digest| digest == 4, |row| row.at < Micros(1_000))
    }

    fn paired(pairs: &[(i64, i64)]) -> Joined {
        let pairs = pairs.iter().map(|(acked, consumed)| (Micros(*acked), Micros(*consumed))).collect();
        Joined { pairs, ..Joined::default() }
    }

    #[test]
    fn what_pairs_is_dropped_and_what_does_not_is_held_with_its_time() {
        let mut digests = Digests::new(Some(100));
        assert_eq!(join(&mut digests, &[(9, 19), (1, 10)], &[(9, 20), (2, 15)]), paired(&[(19, 20)]));
        assert_eq!(digests.len(), 2);
        let behind = (20, 15);
        assert_eq!(join(&mut digests, &[(2, 20)], &[(1, 110)]), paired(&[(10, 110), behind]));
        assert!(digests.is_empty());
        let found = join(&mut digests, &[(4, 10), (3, 10)], &[(3, 111), (5, 50), (4, 12)]);
        assert_eq!(found, Joined::default(), "late, or known");
        let (events, receipts): (Vec<_>, Vec<_>) = (digests.events().collect(), digests.receipts().collect());
        assert_eq!(events, [(row(3, 10), true), (row(4, 10), true)]);
        assert_eq!(receipts, [(row(3, 111), true), (row(4, 12), true), (row(5, 50), false)]);
    }

    #[test]
    fn a_receipt_that_need_not_wait_is_held_only_beside_another_row() {
        let mut digests = Digests::new(None);
        assert_eq!(join(&mut digests, &[(1, 10)], &[]), Joined::default());
        let found = join(&mut digests, &[(2, 20)], &[(1, 1_000), (2, 1_001), (3, 1_002)]);
        assert_eq!(found, Joined { outside: 1, ..paired(&[(10, 1_000), (20, 1_001)]) });
        assert!(digests.is_empty());
    }

    #[test]
    fn one_side_never_holds_a_digest_twice() {
        for (before, events, receipts, twice) in [
            ([(1, 10)], vec![(1, 11)], vec![], true),
            ([(1, 10)], vec![(2, 10), (2, 10)], vec![], true),
            ([(1, 10)], vec![], vec![(1, 10), (1, 20)], true),
            ([(1, 10)], vec![], vec![(3, 10), (3, 10)], true),
            ([(1, 10)], vec![(2, 10)], vec![(1, 10), (2, 10)], false),
        ] {
            let mut digests = Digests::new(None);
            assert!(!join(&mut digests, &before, &[]).twice);
            assert_eq!(join(&mut digests, &events, &receipts).twice, twice, "{events:?} {receipts:?}");
        }
    }
}
