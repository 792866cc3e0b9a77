//! Cuts a range into slices that take about equally long, in time order: pure.

use super::tempo::Tempo;
use crate::model::time::{DAY, MINUTE, SECOND};
use crate::model::{Micros, Span};
use std::time::Duration;

/// A slice that gives more than this is cut in half and read again.
pub(super) const ROWS_MAX: usize = 200_000;
/// The first slice, before anything is known of the density.
const FIRST: i64 = 10 * MINUTE;
/// No slice is cut shorter than this.
const SHORTEST: i64 = SECOND;
/// No slice is longer than this, so that each statement stays short where density changes suddenly.
const LONGEST: i64 = 7 * DAY;
/// A slice is at the most so many times as long as the one before, or so many times as short.
const CHANGE_MAX: i64 = 4;

/// Where the reading of a range is.
#[derive(Debug)]
pub(super) struct Slicer {
    range: Span,
    next: Micros,
    length: i64,
    tempo: Tempo,
}

impl Slicer {
    pub(super) fn new(range: Span, tempo: Tempo) -> Self {
        Self { range, next: range.from, length: FIRST, tempo }
    }

    /// The slice to read next; `None` when the range is done.
    pub(super) fn slice(&self) -> Option<Span> {
        let until = self.next.plus(self.length).min(self.range.until);
        (self.next < self.range.until).then(|| Span::new(self.next, until))
    }

    /// The slice was read and gave `rows` rows on its busiest table; it took so long, without what it had to wait for.
    /// The next is sized by that.
    pub(super) fn done(&mut self, rows: usize, took: Duration) {
        self.next = self.next.plus(self.length).min(self.range.until);
        self.tempo.learn(rows, took);
        let wanted = i128::from(self.tempo.rows());
        let given = i128::try_from(rows.max(1)).unwrap_or(i128::MAX);
        let (least, most) = (self.length / CHANGE_MAX, self.length.saturating_mul(CHANGE_MAX));
        let length = i64::try_from(i128::from(self.length) * wanted / given).unwrap_or(i64::MAX);
        self.length = length.clamp(least, most).clamp(SHORTEST, LONGEST);
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
            hours in 1_i64..6,
            density in proptest::collection::vec((0_usize..400_000, any::<u64>()), 1..50),
            target in 1_u64..10_000_000,
        ) {
            let range = Span::new(Micros(0), Micros(hours * 60 * MINUTE));
            let tempo = Tempo::new(Duration::from_micros(target), None);
            let (mut slicer, mut at, mut turn) = (Slicer::new(range, tempo), range.from, 0);
            while let Some(slice) = slicer.slice() {
                let (rows, took) = density[turn % density.len()];
                turn += 1;
                if rows > ROWS_MAX && slicer.halve() {
                    continue;
                }
                prop_assert_eq!(slice.from, at);
                prop_assert!(slice.until > slice.from && slice.until <= range.until);
                at = slicer.slice().unwrap().until;
                slicer.done(rows.min(ROWS_MAX), Duration::from_micros(took));
            }
            prop_assert_eq!(at, range.until);
        }
    }

    #[test]
    fn a_slice_that_took_twice_its_time_is_followed_by_one_half_as_long() {
        let half = Duration::from_millis(500);
        let range = Span::new(Micros(0), Micros(DAY));
        for (rows, took, next) in [
            (40_000, 2 * half, FIRST / 2),
            (40_000, half, FIRST),
            (10_000, half / 2, 2 * FIRST),
            (100_000, 20 * half, FIRST / 4),
            (0, 20 * half, 4 * FIRST),
            (100, half / 100, 4 * FIRST),
        ] {
            let mut slicer = Slicer::new(range, Tempo::new(half, None));
            slicer.done(rows, took);
            assert_eq!(slicer.slice().unwrap().micros(), next, "{rows} rows in {took:?}");
        }
    }
}
