//! Which ids may be among many: two bytes an id, and wrong for about one in a hundred of those that are not.
//!
//! Bloom filters in blocks of one word, so that asking costs one look at memory: Putze, Sanders, Singler, "Cache-, Hash-
//! and Space-Efficient Bloom Filters".

use crate::model::Id;
use hashbrown::DefaultHashBuilder;
use std::fmt;
use std::hash::BuildHasher as _;

/// So many ids share a word.
const IDS: usize = 4;
/// So many bits of a word each id sets.
const BITS: u32 = 4;

/// Sets of ids, by their hashes. All are asked at once; what is added goes into the last.
#[derive(Default)]
pub struct Filters {
    sets: Vec<Vec<u64>>,
    hasher: DefaultHashBuilder,
}

impl Filters {
    /// Another set, for so many ids.
    pub fn begin(&mut self, ids: usize) {
        self.sets.push(vec![0; (ids / IDS).max(1).next_power_of_two()]);
    }

    /// Adds a hash to a single set that has room for so many; see [`Filters::add_hash`].
    pub fn mark(&mut self, hash: u64, ids: usize) {
        if self.sets.is_empty() {
            self.begin(ids);
        }
        self.add_hash(hash);
    }

    /// Adds an id to the set that was begun last.
    pub fn add(&mut self, id: &Id) {
        self.add_hash(self.hash(id));
    }

    /// The same by a hash of the caller's, every bit of which depends on all of the id.
    pub fn add_hash(&mut self, hash: u64) {
        if let Some(words) = self.sets.last_mut() {
            let (place, bits) = place(hash, words);
            words[place] |= bits;
        }
    }

    /// Whether an id may have been added; never wrong where it was.
    #[must_use]
    pub fn may_hold(&self, id: &Id) -> bool {
        self.may_hold_among(id, self.sets.len())
    }

    /// The same of the first so many sets.
    #[must_use]
    pub fn may_hold_among(&self, id: &Id, sets: usize) -> bool {
        if self.sets.is_empty() {
            return false;
        }
        self.may_hold_hash_among(self.hash(id), sets)
    }

    /// Whether a hash may have been added; see [`Filters::add_hash`].
    #[must_use]
    pub fn may_hold_hash(&self, hash: u64) -> bool {
        self.may_hold_hash_among(hash, self.sets.len())
    }

    fn may_hold_hash_among(&self, hash: u64, sets: usize) -> bool {
        self.sets.iter().take(sets).any(|words| {
            let (place, bits) = place(hash, words);
            words[place] & bits == bits
        })
    }

    fn hash(&self, id: &Id) -> u64 {
        mixed(self.hasher.hash_one(id))
    }
}

fn place(hash: u64, words: &[u64]) -> (usize, u64) {
    let bits = (0..BITS).fold(0, |bits, bit| bits | 1 << (hash >> (6 * bit) & 63));
    ((hash >> (6 * BITS)) as usize & (words.len() - 1), bits)
}

/// Hashes of ids by their bytes, so that an id and its row in a bulk have the same; so may a UUID and the text of its 16
/// bytes, and any others. One in so many is a collision, that is a look at the ids themselves.
#[derive(Clone, Debug, Default)]
pub struct IdHash(DefaultHashBuilder);

impl IdHash {
    /// Of a row's [`crate::model::Bulk::bytes`]. Good as a whole; each bit by itself only once it is [`mixed`].
    #[must_use]
    pub fn of_bytes(&self, bytes: &[u8]) -> u64 {
        self.0.hash_one(bytes)
    }

    /// The same of an id.
    #[must_use]
    pub fn of(&self, id: &Id) -> u64 {
        id.as_uuid().map_or_else(|| self.of_bytes(&id.to_bytes()), |uuid| self.of_bytes(&uuid))
    }
}

/// A hash whose every bit depends on all of another's, which may be good only as a whole: the finaliser of `MurmurHash3`.
pub(super) fn mixed(mut hash: u64) -> u64 {
    for factor in [0xff51_afd7_ed55_8ccd, 0xc4ce_b9fe_1a85_ec53] {
        hash = (hash ^ hash >> 33).wrapping_mul(factor);
    }
    hash ^ hash >> 33
}

impl fmt::Debug for Filters {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Filters({} words)", self.sets.iter().map(Vec::len).sum::<usize>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_added_is_there_and_of_the_rest_hardly_anything() {
        for (count, wrong_max) in [(0_u64, 0), (1, 1), (7, 2), (10_000, 300)] {
            let ids = |from: u64| (from..from + count).map(|number| Id::from_integer(number.into()));
            let mut filters = Filters::default();
            assert!(!ids(0).any(|id| filters.may_hold(&id)));
            for half in [0, count / 2] {
                filters.begin(usize::try_from(count).unwrap());
                ids(half).take(usize::try_from(count - half).unwrap()).for_each(|id| filters.add(&id));
            }
            assert!(ids(0).all(|id| filters.may_hold(&id)));
            let wrong = ids(1_000_000).filter(|id| filters.may_hold(id)).count();
            assert!(wrong <= wrong_max, "{wrong} of {count}");
        }
    }
}
