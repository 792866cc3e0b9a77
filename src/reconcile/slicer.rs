//! Cuts a range into slices that take about equally long, in time order: pure.

use super::tempo::Tempo;
use crate::model::time::{DAY, MINUTE, SECOND};
use crate::model::{Micros, Span};
use std::time::Duration;

/// A slice that should give so many is worth the short form.
const MANY: usize = 2_000;
/// A slice that gives more than this is cut in half and read again.
pub(super) const ROWS_MAX: usize = 200_000;
/// The first slice, before anything is known of the density.
const FIRST: i64 = 2 * MINUTE;
/// No slice is cut shorter than this.
const SHORTEST: i64 = SECOND;
/// No slice is longer than this, so that each statement stays short where density changes suddenly.
const LONGEST: i64 = 7 * DAY;
/// A slice is at the most so many times as long as the one before, or so many times as short ...
const CHANGE_MAX: i64 = 4;
/// ... and half as long again where that one was empty, since it says nothing of how dense the rows are once they begin.
const BEHIND_NOTHING: (i64, i64) = (3, 2);

/// Where slices are uneven, every other one is so many times as short.
const UNEVEN: i64 = 3;

/// Where the reading of a range is.
#[derive(Debug)]
pub(super) struct Slicer {
    range: Span,
    /// Where the slice begins that is read next.
    next: Micros,
    /// Up to where everything was read.
    done: Micros,
    length: i64,
    /// How many rows a slice of the present length should give.
    expected: usize,
    tempo: Tempo,
    uneven: bool,
    /// The slice that begins next is a short one.
    short: bool,
}

impl Slicer {
    pub(super) fn new(range: Span, tempo: Tempo) -> Self {
        let (next, done) = (range.from, range.from);
        Self { range, next, done, length: FIRST, expected: 0, tempo, uneven: false, short: false }
    }

    /// With slices that are long and short in turn. Those that are equally long fall into step: servers put all of them
    /// together at the same time, and then all are on their way, so that either the servers or a slow link have nothing to
    /// do. With an odd number of slices under way each of them is followed by one of the other length.
    pub(super) fn uneven(self) -> Self {
        Self { uneven: true, ..self }
    }

    /// The slice to read next, which counts as begun; `None` when all have.
    pub(super) fn begin(&mut self) -> Option<Span> {
        let from = self.next;
        let length = if self.short { (self.length / UNEVEN).max(SHORTEST) } else { self.length };
        self.short = self.uneven && !self.short;
        self.next = from.plus(length).min(self.range.until);
        (from < self.next).then(|| Span::new(from, self.next))
    }

    /// Whether the slices that begin now should give many rows, by what the last ones gave.
    pub(super) fn expects_many(&self) -> bool {
        self.expected >= MANY
    }

    /// A slice was read, after all before it, and gave `rows` rows on its busier side; it took so long, without what it
    /// had to wait for. Those that begin from now on are sized by that.
    pub(super) fn done(&mut self, slice: Span, rows: usize, took: Duration) {
        self.done = slice.until;
        self.tempo.learn(rows, took);
        let wanted = i128::from(self.tempo.rows());
        let given = i128::try_from(rows.max(1)).unwrap_or(i128::MAX);
        // By the slice itself: others may have begun since it did, with lengths of their own.
        let length = i64::try_from(i128::from(slice.micros()) * wanted / given).unwrap_or(i64::MAX);
        let (more, than) = if rows == 0 { BEHIND_NOTHING } else { (CHANGE_MAX, 1) };
        let (least, most) = (self.length / CHANGE_MAX, self.length.saturating_mul(more) / than);
        self.length = length.clamp(least, most).clamp(SHORTEST, LONGEST);
        let expected = i128::try_from(rows).unwrap_or(0) * i128::from(self.length);
        self.expected = usize::try_from(expected / i128::from(slice.micros().max(1))).unwrap_or(usize::MAX);
    }

    /// The slice gave too many rows: goes back to its begin with shorter ones; `false` where it cannot be cut further.
    pub(super) fn halve(&mut self, slice: Span) -> bool {
        if slice.micros() <= SHORTEST {
            return false;
        }
        self.length = (slice.micros() / 2).max(SHORTEST);
        (self.next, self.short) = (slice.from, false);
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
            density in proptest::collection::vec((0_usize..400_000, any::<u64>()), 1..50),
            depth in 1_usize..5,
            target in 1_u64..10_000_000,
            uneven in any::<bool>(),
        ) {
            let range = Span::new(Micros(0), Micros(hours * 60 * MINUTE));
            let tempo = Tempo::new(Duration::from_micros(target), None, depth, false);
            let slicer = Slicer::new(range, tempo);
            let mut slicer = if uneven { slicer.uneven() } else { slicer };
            let (mut at, mut turn) = (range.from, 0);
            let mut ahead = VecDeque::new();
            loop {
                while ahead.len() < depth && let Some(slice) = slicer.begin() {
                    ahead.push_back(slice);
                }
                let Some(slice) = ahead.pop_front() else { break };
                let (rows, took) = density[turn % density.len()];
                turn += 1;
                if rows > ROWS_MAX && slicer.halve(slice) {
                    ahead.clear();
                    continue;
                }
                prop_assert_eq!(slice.from, at);
                prop_assert!(slice.until > slice.from && slice.until <= range.until);
                at = slice.until;
                slicer.done(slice, rows.min(ROWS_MAX), Duration::from_micros(took));
            }
            prop_assert_eq!(at, range.until);
        }
    }

    #[test]
    fn every_other_uneven_slice_is_short() {
        let range = Span::new(Micros(0), Micros(DAY));
        let mut slicer = Slicer::new(range, Tempo::new(Duration::from_millis(500), None, 1, false)).uneven();
        let lengths: Vec<_> = (0..4).map(|_| slicer.begin().unwrap().micros()).collect();
        assert_eq!(lengths, [FIRST, FIRST / UNEVEN, FIRST, FIRST / UNEVEN]);
    }

    #[test]
    fn a_slice_that_took_twice_its_time_is_followed_by_one_half_as_long() {
        let half = Duration::from_millis(500);
        let range = Span::new(Micros(0), Micros(DAY));
        for (rows, took, next) in [
            (20_000, 2 * half, FIRST / 2),
            (16_000, half, FIRST),
            (8_000, half / 2, 2 * FIRST),
            (50_000, 20 * half, FIRST / 4),
            (0, 20 * half, FIRST / 2 * 3),
            (100, half / 100, 4 * FIRST),
        ] {
            let mut slicer = Slicer::new(range, Tempo::new(half, None, 1, false));
            let slice = slicer.begin().unwrap();
            slicer.done(slice, rows, took);
            assert_eq!(slicer.begin().unwrap().micros(), next, "{rows} rows in {took:?}");
        }
    }
}
