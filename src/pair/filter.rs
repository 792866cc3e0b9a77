//! Which ids may be among many: two bytes an id, and wrong for about one in a hundred of those that are not.
//!
//! A Bloom filter in blocks of one word, so that asking costs one look at memory: Putze, Sanders, Singler, "Cache-, Hash-
//! and Space-Efficient Bloom Filters".

use crate::model::Id;
use hashbrown::DefaultHashBuilder;
use std::fmt;
use std::hash::BuildHasher as _;

/// So many ids share a word.
const IDS: usize = 4;
/// So many bits of a word each id sets.
const BITS: u32 = 4;

/// Some ids, by their hashes.
#[derive(Default)]
pub struct Filter {
    words: Vec<u64>,
    hasher: DefaultHashBuilder,
}

impl Filter {
    /// For so many ids.
    #[must_use]
    pub fn new(ids: usize) -> Self {
        Self { words: vec![0; (ids / IDS + 1).next_power_of_two()], hasher: DefaultHashBuilder::default() }
    }

    /// Adds an id.
    pub fn add(&mut self, id: &Id) {
        let (word, bits) = self.place(id);
        self.words[word] |= bits;
    }

    /// Whether an id may have been added; never wrong where it was.
    #[must_use]
    pub fn may_hold(&self, id: &Id) -> bool {
        let (word, bits) = self.place(id);
        self.words[word] & bits == bits
    }

    fn place(&self, id: &Id) -> (usize, u64) {
        let hash = mixed(self.hasher.hash_one(id));
        let bits = (0..BITS).fold(0, |bits, bit| bits | 1 << (hash >> (6 * bit) & 63));
        ((hash >> (6 * BITS)) as usize & (self.words.len() - 1), bits)
    }
}

/// A hash whose every bit depends on all of another's, which may be good only as a whole: the finaliser of `MurmurHash3`.
fn mixed(mut hash: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    hash ^ hash >> 33
}

impl fmt::Debug for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filter({} words)", self.words.len())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_and_of_the_rest_hardly_anything() {
        for count in [0_u64, 1, 7, 10_000] {
            let ids = |from: u64| (from..from + count).map(|number| Id::from_integer(number.into()));
            let mut filter = Filter::new(usize::try_from(count).unwrap());
            ids(0).for_each(|id| filter.add(&id));
            assert!(ids(0).all(|id| filter.may_hold(&id)));
            let wrong = ids(1_000_000).filter(|id| filter.may_hold(id)).count();
            assert!(wrong <= 300, "{wrong} of {count}");
        }
    }
}
