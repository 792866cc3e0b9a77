//! The differences found so far: listed up to a bound, counted without one.

use crate::model::Difference;
use std::collections::BTreeMap;

/// Differences of one flow.
#[derive(Debug)]
pub struct Findings {
    listed: Vec<Difference>,
    listed_max: usize,
    /// How many there are at each consumer, and (`None`) at the producer alone.
    totals: BTreeMap<Option<String>, u64>,
}

impl Findings {
    /// None yet; at most `listed_max` are kept with their ids.
    #[must_use]
    pub fn new(listed_max: usize) -> Self {
        Self { listed: Vec::new(), listed_max, totals: BTreeMap::new() }
    }

    /// Counts a difference and keeps it while there is room.
    pub fn push(&mut self, difference: Difference) {
        *self.totals.entry(difference.consumer.clone()).or_default() += 1;
        if self.listed.len() < self.listed_max {
            self.listed.push(difference);
        }
    }

    /// Takes back what was found at a consumer that turned out not to be readable to the end.
    pub fn forget(&mut self, consumer: &str) {
        self.totals.retain(|name, _| name.as_deref() != Some(consumer));
        self.listed.retain(|difference| difference.consumer.as_deref() != Some(consumer));
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.totals.values().sum()
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
