//! Cuts a range into slices of about equally many rows, in time order: pure.

use crate::model::time::{DAY, MINUTE, SECOND};
use crate::model::{Micros, Span};

/// A slice should give about so many rows on its busiest table.
const ROWS_WANTED: usize = 50_000;
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
    next: Micros,
    length: i64,
}

impl Slicer {
    pub(super) fn new(range: Span) -> Self {
        Self { range, next: range.from, length: FIRST }
    }

    /// The slice to read next; `None` when the range is done.
    pub(super) fn slice(&self) -> Option<Span> {
        let until = self.next.plus(self.length).min(self.range.until);
        (self.next < self.range.until).then(|| Span::new(self.next, until))
    }

    /// The slice was read and gave `rows` rows on its busiest table; the next is sized by that.
    pub(super) fn done(&mut self, rows: usize) {
        self.next = self.next.plus(self.length).min(self.range.until);
        let wanted = i64::try_from(ROWS_WANTED / rows.max(1)).unwrap_or(i64::MAX);
        self.length = match rows {
            0..ROWS_WANTED => self.length.saturating_mul(wanted.clamp(1, 4)),
            _ => self.length / i64::try_from(rows / ROWS_WANTED).unwrap_or(i64::MAX).clamp(1, 4),
        }
        .clamp(SHORTEST, LONGEST);
    }

    /// The slice gave too many rows; `false` where it cannot be cut any further.
    pub(super) fn halve(&mut self) -> bool {
        let long = self.length > SHORTEST;
        self.length = (self.length / 2).max(SHORTEST);
        long
    }

    /// How much of the range is done, 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "a share for a progress bar")]
    pub(super) fn share(&self) -> f64 {
        self.next.since(self.range.from) as f64 / self.range.micros().max(1) as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn slices_tile_the_range_whatever_the_density(
            hours in 1_i64..2_000,
            density in proptest::collection::vec(0_usize..400_000, 1..50),
        ) {
            let range = Span::new(Micros(0), Micros(hours * 60 * MINUTE));
            let (mut slicer, mut at, mut turn) = (Slicer::new(range), range.from, 0);
            while let Some(slice) = slicer.slice() {
                let rows = density[turn % density.len()];
                turn += 1;
                if rows > ROWS_MAX && slicer.halve() {
                    continue;
                }
                prop_assert_eq!(slice.from, at);
                prop_assert!(slice.until > slice.from && slice.until <= range.until);
                at = slicer.slice().unwrap().until;
                slicer.done(rows.min(ROWS_MAX));
            }
            prop_assert_eq!(at, range.until);
        }
    }
}
