//! How many rows a slice should have, learnt from how long the slices before took: pure.
//!
//! A decaying average of the rows a second says how many rows fit into the time that a slice should take. What a slice
//! costs whatever its rows, a slow link or a scan of a whole table, is told apart: it comes to light where slices of
//! different sizes take about as long, and shorter slices would only pay it more often.

use std::time::Duration;

/// Fewer rows are not worth a statement.
const ROWS_MIN: u64 = 1_000;
/// A slice shall give no more rows than so many: its bytes stay in the processor's cache, and larger ones are no faster ...
const ROWS_NEAR: u64 = 16_000;
/// ... for each of its tables up to so many, so that a statement on one of many shards is worth its while ...
const TABLES: usize = 4;
/// ... and so many times as many, up to this, if ...
const MORE: u64 = 3;
const ROWS_MOST: u64 = 100_000;
/// ... a database is far away, or if what a slice costs whatever its rows is such a part of the time that it should take.
const LARGE_PART: u64 = 4;
/// What was learnt before counts for so many of [`PARTS`] once more is learnt.
const KEPT: u64 = 3;
const PARTS: u64 = 4;

/// What was learnt.
#[derive(Debug)]
pub(super) struct Tempo {
    /// What a slice should take.
    target: u64,
    /// A slice shall give no more rows, whatever the time, ...
    rows_max: u64,
    /// ... or so many, where it costs much anyway.
    rows_most: u64,
    /// Decaying sums of slices (in thousandths), of their rows, and of the microseconds that they took.
    slices: u64,
    rows: u64,
    micros: u64,
    /// What a slice takes whatever its rows, where that was seen, in microseconds.
    fixed: Option<u64>,
    /// Rows and microseconds of an earlier slice, until one of another size comes.
    before: Option<(u64, u64)>,
}

impl Tempo {
    /// For slices of about this time, of so many tables on the side that has more, and of no more rows than can be had in
    /// a second.
    pub(super) fn new(target: Duration, rows_per_second: Option<u32>, tables: usize, far: bool) -> Self {
        let near = ROWS_NEAR * tables.clamp(1, TABLES) as u64;
        let rate = rows_per_second.map_or(u64::MAX, u64::from);
        let rows_most = rate.clamp(ROWS_MIN, (MORE * near).min(ROWS_MOST));
        Self {
            target: micros(target).max(1),
            rows_max: if far { rows_most } else { rate.clamp(ROWS_MIN, near) },
            rows_most,
            slices: 0,
            rows: 0,
            micros: 0,
            fixed: None,
            before: None,
        }
    }

    /// A slice gave so many rows on its busier side, in this time.
    pub(super) fn learn(&mut self, rows: usize, took: Duration) {
        let (rows, took) = (rows as u64, micros(took).max(1));
        self.tell_apart(rows, took);
        self.slices = self.slices / PARTS * KEPT + 1_000;
        self.rows = (self.rows / PARTS * KEPT).saturating_add(rows);
        self.micros = (self.micros / PARTS * KEPT).saturating_add(took);
    }

    /// Two slices of different sizes say what a row costs, and so what is left without any.
    fn tell_apart(&mut self, rows: u64, took: u64) {
        let Some(before) = self.before else {
            self.before = Some((rows, took));
            return;
        };
        let ((fewer, shorter), (more, longer)) =
            if rows < before.0 { ((rows, took), before) } else { (before, (rows, took)) };
        if more < ROWS_MIN || more / 3 * 2 < fewer {
            return;
        }
        let of_rows = longer.saturating_sub(shorter).saturating_mul(fewer) / (more - fewer).max(1);
        let seen = shorter.saturating_sub(of_rows);
        self.fixed = Some(self.fixed.map_or(seen, |fixed| u64::midpoint(fixed, seen)));
        self.before = Some((rows, took));
    }

    /// So many rows the next slice should have.
    pub(super) fn rows(&self) -> u64 {
        let dear = self.fixed.is_some_and(|fixed| fixed >= self.target / LARGE_PART);
        let rows_max = if dear { self.rows_most } else { self.rows_max };
        if self.rows == 0 {
            return rows_max;
        }
        let fixed = self.fixed.unwrap_or(0).saturating_mul(self.slices) / 1_000;
        let of_rows = self.micros.saturating_sub(fixed).max(1);
        let fit = u128::from(self.rows) * u128::from(self.target) / u128::from(of_rows);
        let fit = u64::try_from(fit).unwrap_or(u64::MAX);
        // Too slow at the least size: whether that is the rows' fault shows in a larger one.
        let least = if fit < ROWS_MIN && self.fixed.is_none() { 2 * ROWS_MIN } else { ROWS_MIN };
        fit.clamp(least.min(rows_max), rows_max)
    }
}

fn micros(time: Duration) -> u64 {
    u64::try_from(time.as_micros()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const HALF: Duration = Duration::from_millis(500);
    const NEAR: bool = false;

    /// The rows of each slice where one costs `fixed`, and each row as much as its share of a second says.
    fn sizes(rows_per_second: u64, fixed: Duration, slices: usize) -> Vec<u64> {
        let mut tempo = Tempo::new(HALF, None, 1, NEAR);
        let one = |tempo: &mut Tempo| {
            let rows = tempo.rows();
            let took = Duration::from_micros(rows * 1_000_000 / rows_per_second) + fixed;
            tempo.learn(usize::try_from(rows).unwrap(), took);
            rows
        };
        (0..slices).map(|_| one(&mut tempo)).collect()
    }

    #[test]
    fn a_slice_that_took_twice_as_long_makes_the_next_half_as_large() {
        let mut tempo = Tempo::new(HALF, None, 1, NEAR);
        tempo.learn(16_000, 2 * HALF);
        assert_eq!(tempo.rows(), 8_000);
        let mut tempo = Tempo::new(HALF, None, 1, NEAR);
        tempo.learn(7_000, HALF / 2);
        assert_eq!(tempo.rows(), 14_000);
    }

    #[test]
    fn slices_come_to_take_the_time_that_they_should() {
        for rate in [4_000, 20_000, 30_000] {
            let last = *sizes(rate, Duration::ZERO, 20).last().unwrap();
            assert!(last.abs_diff(rate / 2) <= rate / 20, "{rate} rows a second: {last}");
        }
        assert_eq!(sizes(1_000_000_000, Duration::ZERO, 5)[4], ROWS_NEAR);
        assert!(sizes(10, Duration::ZERO, 9).iter().skip(1).all(|rows| *rows <= 2 * ROWS_MIN));
    }

    #[test]
    fn what_each_slice_costs_anyway_is_not_paid_ever_more_often() {
        // A scan of the whole table for each slice, and a few microseconds for each row.
        let sizes = sizes(400_000, Duration::from_secs(2), 30);
        assert!(sizes[29] >= 40_000, "{sizes:?}");
    }

    #[test]
    fn from_far_and_of_many_tables_slices_are_larger() {
        let largest = |far, tables| {
            let mut tempo = Tempo::new(HALF, None, tables, far);
            tempo.learn(20_000, Duration::from_millis(10));
            tempo.rows()
        };
        let near = [1, 2, 4, 64].map(|tables| largest(false, tables));
        let far = [1, 2, 4, 64].map(|tables| largest(true, tables));
        assert_eq!((near, far), ([16_000, 32_000, 64_000, 64_000], [48_000, 96_000, 100_000, 100_000]));
    }

    #[test]
    fn a_throttle_bounds_the_rows_of_a_burst() {
        let mut tempo = Tempo::new(HALF, Some(2_500), 1, NEAR);
        assert_eq!(tempo.rows(), 2_500);
        tempo.learn(2_500, Duration::from_millis(1));
        assert_eq!(tempo.rows(), 2_500);
    }

    proptest! {
        #[test]
        fn it_stays_within_its_bounds(
            target in 1_u64..100_000_000,
            rate in proptest::option::of(any::<u32>()),
            slices in proptest::collection::vec((0_usize..3_000_000, any::<u64>()), 0..60),
        ) {
            let mut tempo = Tempo::new(Duration::from_micros(target), rate, 1, NEAR);
            for (rows, took) in slices {
                prop_assert!((ROWS_MIN..=MORE * ROWS_NEAR).contains(&tempo.rows()));
                tempo.learn(rows, Duration::from_micros(took));
            }
            prop_assert!((ROWS_MIN..=MORE * ROWS_NEAR).contains(&tempo.rows()));
        }
    }
}
