//! The differences found so far: listed up to a bound, counted without one.

use crate::model::Difference;

/// Differences of one flow.
#[derive(Debug)]
pub struct Findings {
    listed: Vec<Difference>,
    listed_max: usize,
    total: u64,
}

impl Findings {
    /// None yet; at most `listed_max` are kept with their ids.
    #[must_use]
    pub fn new(listed_max: usize) -> Self {
        Self { listed: Vec::new(), listed_max, total: 0 }
    }

    /// Counts a difference and keeps it while there is room.
    pub fn push(&mut self, difference: Difference) {
        self.total += 1;
        if self.listed.len() < self.listed_max {
            self.listed.push(difference);
        }
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Those that were kept, in the order in which they were found.
    #[must_use]
    pub fn listed(&self) -> &[Difference] {
        &self.listed
    }

    /// Those that were kept, sorted.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Difference> {
        let mut listed = self.listed;
        listed.sort();
        listed
    }
}
