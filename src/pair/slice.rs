//! The rows of one slice, paired by id in one pass over both sides.
//!
//! The sides are gone through in the order of time, and each row looks for its counterpart among those of the other side
//! that have come and wait: a symmetric hash join, as in Wilschut, Apers, "Dataflow Query Execution in a Parallel
//! Main-Memory Environment". Where messages are consumed soon, few wait, and those stay in the processor's cache. Rows that
//! come in another order, or lie far apart, only cost more. What meets is compared byte by byte; a hash only says where to
//! look.

use super::IdHash;
use crate::model::Bulk;
use crate::model::bulk::Slim;
use hashbrown::HashTable;

/// What became of rows of a slice.
#[derive(Clone, Copy, Debug)]
pub enum Met<'b> {
    /// An event and a receipt with the same id, and its [hash](super::IdHash).
    Pair(&'b Slim, &'b Slim, u64),
    /// An event for which no receipt is left in the slice.
    Event(&'b Slim),
    /// A receipt for which no event is left in the slice.
    Receipt(&'b Slim),
}

/// Rows of one side that wait for their counterparts.
struct Waiting<'b> {
    bulk: &'b Bulk,
    /// Where each row is in its bulk, and its hash.
    places: HashTable<(usize, u64)>,
}

impl<'b> Waiting<'b> {
    fn of(bulk: &'b Bulk) -> Self {
        Self { bulk, places: HashTable::new() }
    }

    /// A row with the id of one of the other side's, which waits no longer.
    fn take(&mut self, hash: u64, other: &Bulk, theirs: &Slim) -> Option<&'b Slim> {
        if self.places.is_empty() {
            return None;
        }
        let rows = self.bulk.rows();
        let same = |(place, own): &(usize, u64)| *own == hash && other.same(theirs, self.bulk, &rows[*place]);
        let ((place, _), _) = self.places.find_entry(hash, same).ok()?.remove();
        Some(&rows[place])
    }

    fn keep(&mut self, hash: u64, place: usize) {
        self.places.insert_unique(hash, (place, hash), |(_, hash)| *hash);
    }

    fn rows(self) -> impl Iterator<Item = &'b Slim> {
        let mut places: Vec<_> = self.places.into_iter().map(|(place, _)| place).collect();
        places.sort_unstable();
        places.into_iter().map(|place| &self.bulk.rows()[place])
    }
}

/// Pairs two sides: of each id as many events with as many receipts as both sides have, and whatever else has the id
/// stays alone.
pub fn pair_up<'b>(events: &'b Bulk, receipts: &'b Bulk, hasher: &IdHash, mut each: impl FnMut(Met<'b>)) {
    let hash = |bulk: &Bulk, row: &Slim| hasher.of_bytes(bulk.bytes(row));
    let (mut waiting_events, mut waiting_receipts) = (Waiting::of(events), Waiting::of(receipts));
    let (mut event, mut receipt) = (0, 0);
    loop {
        let (next, theirs) = (events.rows().get(event), receipts.rows().get(receipt));
        match (next, theirs) {
            (Some(next), theirs) if theirs.is_none_or(|theirs| next.at <= theirs.at) => {
                let hash = hash(events, next);
                match waiting_receipts.take(hash, events, next) {
                    Some(theirs) => each(Met::Pair(next, theirs, hash)),
                    None => waiting_events.keep(hash, event),
                }
                event += 1;
            }
            (_, Some(next)) => {
                let hash = hash(receipts, next);
                match waiting_events.take(hash, receipts, next) {
                    Some(theirs) => each(Met::Pair(theirs, next, hash)),
                    None => waiting_receipts.keep(hash, receipt),
                }
                receipt += 1;
            }
            _ => break,
        }
    }
    waiting_events.rows().for_each(|event| each(Met::Event(event)));
    waiting_receipts.rows().for_each(|receipt| each(Met::Receipt(receipt)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;
    use proptest::prelude::*;

    fn bulk(rows: &[(String, i64)]) -> Bulk {
        let mut bulk = Bulk::default();
        for (id, at) in rows {
            assert!(bulk.push(id.as_bytes(), Micros(*at)));
        }
        bulk
    }

    fn rows() -> impl Strategy<Value = Vec<(String, i64)>> {
        proptest::collection::vec(("[ab]{1,3}|[0-9]{1,2}", 0_i64..50), 0..60)
    }

    fn removed(ids: &mut Vec<String>, id: &str) -> bool {
        ids.iter().position(|one| one == id).map(|at| ids.swap_remove(at)).is_some()
    }

    proptest! {
        #[test]
        fn each_row_is_met_once_and_pairs_have_one_id(
            mut events in rows(),
            mut receipts in rows(),
            in_order in any::<bool>(),
        ) {
            if in_order {
                events.sort_by_key(|(_, at)| *at);
                receipts.sort_by_key(|(_, at)| *at);
            }
            let (left, right) = (bulk(&events), bulk(&receipts));
            let ids = |rows: Vec<(String, i64)>| rows.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
            let (events, receipts) = (ids(events), ids(receipts));
            let (mut open_events, mut open_receipts) = (events.clone(), receipts.clone());
            let (mut lone_events, mut lone_receipts) = (Vec::new(), Vec::new());
            let mut wrong = Vec::new();
            pair_up(&left, &right, &IdHash::default(), |met| match met {
                Met::Pair(event, receipt, _) => {
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
            let alone = |id: &String| lone_receipts.contains(id);
            prop_assert!(!lone_events.iter().any(alone), "an event and a receipt of one id are left");
        }
    }
}
