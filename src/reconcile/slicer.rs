//! Cuts a range into slices of about equally many rows, in time order: pure.

use crate::model::time::{DAY, MINUTE, SECOND};
use crate::model::{Micros, Span};

/// A slice should give about so many rows on its busier side ...
const ROWS_WANTED: usize = 65_536;
/// ... for each of its tables up to so many, so that a statement on one of many shards is worth its while.
const TABLES: usize = 4;
/// A slice that should give so many is worth the short form.
const MANY: usize = 2_000;
/// A slice that gives more than this is cut in half and read again.
pub(super) const ROWS_MAX: usize = 200_000;
/// The first slice, before anything is known of the density.
const FIRST: i64 = 10 * MINUTE;
/// No slice is cut shorter than this.
const SHORTEST: i64 = SECOND;
/// No slice is longer than this, so that each statement stays short where density changes suddenly.
const LONGEST: i64 = 7 * DAY;

/// Where the reading of a range is.
#[derive(Debug)]
pub(super) struct Slicer {
    range: Span,
    /// Where the slice begins that is read next.
    next: Micros,
    /// Up to where everything was read.
    done: Micros,
    length: i64,
    /// How many rows a slice should give.
    wanted: usize,
    /// How many rows a slice of the present length should give.
    expected: usize,
}

impl Slicer {
    /// `tables` on the side that has more of them.
    pub(super) fn new(range: Span, tables: usize) -> Self {
        let wanted = ROWS_WANTED * tables.clamp(1, TABLES);
        Self { range, next: range.from, done: range.from, length: FIRST, wanted, expected: 0 }
    }

    /// The slice to read next, which counts as begun; `None` when all have.
    pub(super) fn begin(&mut self) -> Option<Span> {
        let from = self.next;
        self.next = from.plus(self.length).min(self.range.until);
        (from < self.next).then(|| Span::new(from, self.next))
    }

    /// Whether the slices that begin now should give many rows, by what the last ones gave.
    pub(super) fn expects_many(&self) -> bool {
        self.expected >= MANY
    }

    /// A slice was read, after all before it, and gave `rows` rows on its busier side; the next ones are sized by that.
    pub(super) fn done(&mut self, slice: Span, rows: usize) {
        self.done = slice.until;
        // The last one of a range may be short, and others may have been sized before more was known.
        let rows_of = |length: i64| {
            let rows = i128::try_from(rows).unwrap_or(i128::MAX) * i128::from(length);
            usize::try_from(rows / i128::from(slice.micros().max(1))).unwrap_or(usize::MAX)
        };
        let now = rows_of(self.length);
        let wanted = i64::try_from(self.wanted / now.max(1)).unwrap_or(i64::MAX);
        self.length = match () {
            () if now < self.wanted => self.length.saturating_mul(wanted.clamp(1, 4)),
            () => self.length / i64::try_from(now / self.wanted).unwrap_or(i64::MAX).clamp(1, 4),
        }
        .clamp(SHORTEST, LONGEST);
        self.expected = rows_of(self.length);
    }

    /// The slice gave too many rows: goes back to its begin with shorter ones; `false` where it cannot be cut further.
    pub(super) fn halve(&mut self, slice: Span) -> bool {
        if slice.micros() <= SHORTEST {
            return false;
        }
        self.length = (slice.micros() / 2).max(SHORTEST);
        self.next = slice.from;
        true
    }

    /// Whether a slice was not read to its end.
    pub(super) fn is_before(&self, slice: Span) -> bool {
        self.done < slice.until
    }

    /// How much of the range is done, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share for a progress bar")]
    pub(super) fn share(&self) -> f64 {
        self.done.since(self.range.from) as f64 / self.range.micros().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::VecDeque;

    proptest! {
        #[test]
        fn slices_tile_the_range_whatever_the_density(
            hours in 1_i64..6,
            density in proptest::collection::vec(0_usize..400_000, 1..50),
            depth in 1_usize..4,
            tables in 0_usize..6,
        ) {
            let range = Span::new(Micros(0), Micros(hours * 60 * MINUTE));
            let (mut slicer, mut at, mut turn) = (Slicer::new(range, tables), range.from, 0);
            let mut ahead = VecDeque::new();
            loop {
                while ahead.len() < depth && let Some(slice) = slicer.begin() {
                    ahead.push_back(slice);
                }
                let Some(slice) = ahead.pop_front() else { break };
                let rows = density[turn % density.len()];
                turn += 1;
                if rows > ROWS_MAX && slicer.halve(slice) {
                    ahead.clear();
                    continue;
                }
                prop_assert_eq!(slice.from, at);
                prop_assert!(slice.until > slice.from && slice.until <= range.until);
                at = slice.until;
                slicer.done(slice, rows.min(ROWS_MAX));
            }
            prop_assert_eq!(at, range.until);
        }
    }
}
