//! The rows of one slice, paired by id in one pass over each side.
//!
//! A slice's events go into an open-addressing table of places that stays in the processor's cache, and its receipts
//! look for theirs. What meets is compared byte by byte; a hash only says where to look.

use crate::model::Bulk;
use crate::model::bulk::Slim;
use hashbrown::DefaultHashBuilder;
use std::hash::BuildHasher as _;

/// What became of rows of a slice.
#[derive(Clone, Copy, Debug)]
pub enum Met<'b> {
    /// An event and a receipt with the same id.
    Pair(&'b Slim, &'b Slim),
    /// An event without a receipt in the slice.
    Event(&'b Slim),
    /// A receipt without an event in the slice; where an id comes again, also its second receipt.
    Receipt(&'b Slim),
}

/// The upper half of an entry says of which hash it is, the lower half where its row is; 0 is no entry.
const PLACE: u64 = u32::MAX as u64;

struct Table {
    slots: Vec<u64>,
    mask: usize,
}

impl Table {
    fn new(rows: usize) -> Self {
        // From half to nearly all of them are filled: a smaller table fits the cache better than longer ways hurt.
        let slots = (rows / 7 * 8 + 8).next_power_of_two();
        Self { slots: vec![0; slots], mask: slots - 1 }
    }

    /// Takes in a place, unless one under this hash is the `same`; gives that.
    fn insert(&mut self, hash: u64, place: usize, same: impl FnMut(usize) -> bool) -> bool {
        match self.search(hash, same) {
            Ok(_) => false,
            Err(empty) => {
                self.slots[empty] = hash & !PLACE | (place as u64 + 1);
                true
            }
        }
    }

    /// The place under this hash that is the `same`, or the slot where it would go.
    fn search(&self, hash: u64, mut same: impl FnMut(usize) -> bool) -> Result<usize, usize> {
        let mut at = slot(hash, self.mask);
        loop {
            let entry = self.slots[at];
            if entry == 0 {
                return Err(at);
            }
            if entry & !PLACE == hash & !PLACE {
                let place = (entry & PLACE) as usize - 1;
                if same(place) {
                    return Ok(place);
                }
            }
            at = (at + 1) & self.mask;
        }
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low bits choose")]
fn slot(hash: u64, mask: usize) -> usize {
    hash as usize & mask
}

/// Pairs two sides: of each id one event with one receipt at the most, and whatever else has the id stays alone. At most
/// 2^32 - 2 rows a side.
pub fn pair_up<'b>(events: &'b Bulk, receipts: &'b Bulk, mut each: impl FnMut(Met<'b>)) {
    let hasher = DefaultHashBuilder::default();
    let hash = |bulk: &Bulk, row: &Slim| hasher.hash_one(bulk.bytes(row));
    let mut table = Table::new(events.len());
    // Those that have met a receipt, or have been told of.
    let mut done = vec![false; events.len()];
    for (place, event) in events.rows().iter().enumerate() {
        let same = |other: usize| events.same(event, events, &events.rows()[other]);
        if !table.insert(hash(events, event), place, same) {
            done[place] = true;
            each(Met::Event(event));
        }
    }
    for receipt in receipts.rows() {
        let same = |place: usize| receipts.same(receipt, events, &events.rows()[place]);
        let found = table.search(hash(receipts, receipt), same);
        match found.ok().filter(|place| !done[*place]) {
            Some(place) => {
                done[place] = true;
                each(Met::Pair(&events.rows()[place], receipt));
            }
            None => each(Met::Receipt(receipt)),
        }
    }
    let lone = events.rows().iter().zip(&done).filter(|(_, done)| !**done);
    lone.for_each(|(event, _)| each(Met::Event(event)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn bulk(ids: &[String]) -> Bulk {
        let mut bulk = Bulk::default();
        for (at, id) in (0_i64..).zip(ids) {
            assert!(bulk.push(id.as_bytes(), Micros(at)));
        }
        bulk
    }

    fn ids(ids: &[String]) -> BTreeSet<&String> {
        ids.iter().collect()
    }

    fn removed(ids: &mut Vec<String>, id: &str) -> bool {
        ids.iter().position(|one| one == id).map(|at| ids.swap_remove(at)).is_some()
    }

    proptest! {
        #[test]
        fn each_row_is_met_once_and_pairs_have_one_id(
            events in proptest::collection::vec("[ab]{1,3}|[0-9]{1,2}", 0..60),
            receipts in proptest::collection::vec("[ab]{1,3}|[0-9]{1,2}", 0..60),
        ) {
            let (left, right) = (bulk(&events), bulk(&receipts));
            let (mut open_events, mut open_receipts) = (events.clone(), receipts.clone());
            let (mut lone_events, mut lone_receipts) = (Vec::new(), Vec::new());
            let mut wrong = Vec::new();
            pair_up(&left, &right, |met| match met {
                Met::Pair(event, receipt) => {
                    let id = left.id(event).to_string();
                    let fits = id == right.id(receipt).to_string();
                    if !(fits && removed(&mut open_events, &id) && removed(&mut open_receipts, &id)) {
                        wrong.push(id);
                    }
                }
                Met::Event(event) => lone_events.push(left.id(event).to_string()),
                Met::Receipt(receipt) => lone_receipts.push(right.id(receipt).to_string()),
            });
            prop_assert!(wrong.is_empty(), "{:?}", wrong);
            for (lone, open) in [(&mut lone_events, &mut open_events), (&mut lone_receipts, &mut open_receipts)] {
                lone.sort();
                open.sort();
                prop_assert_eq!(&*lone, &*open);
            }
            let (events, receipts) = (ids(&events), ids(&receipts));
            let met = events.intersection(&receipts).count();
            prop_assert_eq!(left.len() - lone_events.len(), met);
        }
    }
}
