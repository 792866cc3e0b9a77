//! The differences found so far: listed up to a bound or handed over as they come, counted without a bound.

use crate::model::{Difference, Id, Kind};
use std::collections::BTreeMap;

/// Where they are handed over, so many may wait; what comes then is looked up once more, later.
const WAITING_MAX: usize = 50_000;
/// So many ids of each kind and consumer are kept for likely causes.
const SAMPLE_MAX: usize = 5_000;

/// Differences of one flow.
#[derive(Debug)]
pub struct Findings {
    listed: Vec<Difference>,
    listed_max: usize,
    streamed: bool,
    /// How many there are at each consumer, and (`None`) at the producer alone.
    totals: BTreeMap<Option<String>, u64>,
    samples: BTreeMap<(Option<String>, Kind), Vec<Id>>,
}

impl Findings {
    /// None yet; at most `listed_max` are kept with their ids.
    #[must_use]
    pub fn new(listed_max: usize) -> Self {
        Self {
            listed: Vec::new(),
            listed_max,
            streamed: false,
            totals: BTreeMap::new(),
            samples: BTreeMap::new(),
        }
    }

    /// None yet; somebody takes them as they come, so that none has to be left out of the list.
    #[must_use]
    pub fn streamed() -> Self {
        Self { streamed: true, ..Self::new(usize::MAX) }
    }

    /// Counts a difference and keeps it while there is room.
    pub fn push(&mut self, difference: Difference) {
        *self.totals.entry(difference.consumer.clone()).or_default() += 1;
        if let (Kind::Missing | Kind::Orphan, Some(id)) = (difference.kind, &difference.id) {
            let sample = self.samples.entry((difference.consumer.clone(), difference.kind)).or_default();
            if sample.len() < SAMPLE_MAX {
                sample.push(id.clone());
            }
        }
        if self.listed.len() < self.listed_max {
            self.listed.push(difference);
        }
    }

    /// Whether so many wait to be taken that more should be put off.
    #[must_use]
    pub fn is_full(&self) -> bool {
        self.streamed && self.listed.len() >= WAITING_MAX
    }

    /// Hands over those that wait.
    pub fn take(&mut self) -> Vec<Difference> {
        std::mem::take(&mut self.listed)
    }

    /// Takes back what was found at a consumer that turned out not to be readable to the end.
    pub fn forget(&mut self, consumer: &str) {
        self.totals.retain(|name, _| name.as_deref() != Some(consumer));
        self.samples.retain(|(name, _), _| name.as_deref() != Some(consumer));
        self.listed.retain(|difference| difference.consumer.as_deref() != Some(consumer));
    }

    /// How many there are in all.
    #[must_use]
    pub fn total(&self) -> u64 {
        self.totals.values().sum()
    }

    /// The first ids of a kind at a consumer.
    #[must_use]
    pub fn sample(&self, consumer: &str, kind: Kind) -> &[Id] {
        self.samples.get(&(Some(consumer.to_owned()), kind)).map_or(&[], Vec::as_slice)
    }

    /// Those that were kept, sorted.
    #[must_use]
    pub fn into_sorted(self) -> Vec<Difference> {
        let mut listed = self.listed;
        listed.sort();
        listed
    }
}
