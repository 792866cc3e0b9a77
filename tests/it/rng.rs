//! A tiny seeded generator (splitmix64): the same seed gives the same pipeline on every machine.

/// The state is the seed that has been used up so far.
pub struct Rng(u64);

impl Rng {
    pub fn new(seed: u64) -> Self {
        Self(seed ^ 0x5851_F42D_4C95_7F2D)
    }

    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// `0..end`.
    pub fn below(&mut self, end: usize) -> usize {
        let end = u64::try_from(end.max(1)).unwrap();
        usize::try_from(self.next() % end).unwrap()
    }

    /// `from..until`; `from` where that is empty.
    pub fn between(&mut self, from: i64, until: i64) -> i64 {
        let width = u64::try_from(until.saturating_sub(from)).unwrap_or(0).max(1);
        from + i64::try_from(self.next() % width).unwrap()
    }

    /// True so many times in a hundred.
    pub fn chance(&mut self, percent: u64) -> bool {
        self.next() % 100 < percent
    }

    pub fn pick<T: Copy>(&mut self, from: &[T]) -> T {
        from[self.below(from.len())]
    }

    /// One of the values, each as often as its weight says.
    pub fn weighted<T: Copy>(&mut self, from: &[(u64, T)]) -> T {
        let mut left = self.next() % from.iter().map(|(weight, _)| weight).sum::<u64>();
        for (weight, value) in from {
            if left < *weight {
                return *value;
            }
            left -= weight;
        }
        from[0].1
    }

    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for place in (1..items.len()).rev() {
            items.swap(place, self.below(place + 1));
        }
    }
}

#[test]
fn one_seed_gives_one_sequence_and_every_value() {
    let draw = |seed| (0..20).map(move |_| seed).scan(Rng::new(seed), |rng, _| Some(rng.below(7)));
    assert!(draw(1).eq(draw(1)) && !draw(1).eq(draw(2)));
    let mut rng = Rng::new(3);
    let mut seen = [0; 3];
    (0..900).for_each(|_| seen[rng.weighted(&[(1, 0), (1, 1), (1, 2)])] += 1);
    assert!(seen.iter().all(|count| (200..400).contains(count)), "{seen:?}");
    let mut items: Vec<_> = (0..50).collect();
    rng.shuffle(&mut items);
    assert!(!items.is_sorted());
    items.sort_unstable();
    assert!(items.into_iter().eq(0..50));
}
