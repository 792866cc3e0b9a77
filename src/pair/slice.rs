//! The rows of one slice, paired by id in one pass over both sides.
//!
//! The sides are gone through in the order of time, step by step in turn, and each row looks for its counterpart among those
//! of the other side that have come and wait: a symmetric hash join, as in Wilschut, Apers, "Dataflow Query Execution in a
//! Parallel Main-Memory Environment". Where messages are consumed soon, few wait, and those stay in the processor's cache.
//! Rows that come in another order, or lie far apart, only cost more. What meets is compared byte by byte; a hash only says
//! where to look.

use super::IdHash;
use crate::model::bulk::Slim;
use crate::model::{Bulk, Micros};
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

/// The steps in which both sides are gone through, all equally long in time.
#[derive(Clone, Copy)]
struct Steps {
    /// So many rows of the larger side make one on average.
    rows: usize,
    /// With more runs than so many it is no use to go through all of them in step.
    runs_max: usize,
}

/// Few enough for the nearest cache, and many enough for steps to cost nothing.
const STEPS: Steps = Steps { rows: 256, runs_max: 128 };

/// Rows of one side, gone through nearly in the order of time: those of several tables stand one behind the other, each in
/// order.
struct Walk<'b> {
    bulk: &'b Bulk,
    /// Where each run goes on, and where it ends.
    runs: Vec<(usize, usize)>,
}

impl<'b> Walk<'b> {
    fn over(bulk: &'b Bulk, runs_max: usize) -> Self {
        let bounds = bulk.runs();
        let runs = bounds.windows(2).map(|run| (run[0], run[1]));
        let runs = if bounds.len() > runs_max + 1 { vec![(0, bulk.len())] } else { runs.collect() };
        Self { bulk, runs }
    }

    /// The earliest and the latest instant, unless the rows are in no order at all.
    fn span(&self) -> Option<(Micros, Micros)> {
        let rows = self.bulk.rows();
        let firsts = self.runs.iter().filter_map(|(first, _)| rows.get(*first));
        let lasts = self.runs.iter().filter_map(|(_, end)| rows.get(end.checked_sub(1)?));
        firsts.map(|row| row.at).min().zip(lasts.map(|row| row.at).max())
    }

    /// Goes on through all rows up to an instant.
    fn until(&mut self, bound: Micros, mut each: impl FnMut(usize, &'b Slim)) {
        for (next, end) in &mut self.runs {
            let rows = &self.bulk.rows()[*next..*end];
            let due = rows.iter().take_while(|row| row.at <= bound);
            let begin = *next;
            due.enumerate().for_each(|(place, row)| {
                each(begin + place, row);
                *next = begin + place + 1;
            });
        }
    }
}

/// The instants up to which both sides are gone through in turn: equally long steps, and the end of time.
fn bounds(events: &Walk<'_>, receipts: &Walk<'_>, rows: usize) -> impl Iterator<Item = Micros> + use<> {
    let spans = || events.span().into_iter().chain(receipts.span());
    let first = spans().map(|(first, _)| first.0).min().unwrap_or_default();
    let last = spans().map(|(_, last)| last.0).max().unwrap_or_default();
    let steps = events.bulk.len().max(receipts.bulk.len()) / rows;
    let length = last.saturating_sub(first) / i64::try_from(steps).unwrap_or(i64::MAX).max(1);
    let bound = move |step: usize| i64::try_from(step).ok()?.checked_mul(length)?.checked_add(first);
    (1..steps).map_while(bound).chain([i64::MAX]).map(Micros)
}

/// Pairs two sides: of each id as many events with as many receipts as both sides have, and whatever else has the id
/// stays alone.
pub fn pair_up<'b>(events: &'b Bulk, receipts: &'b Bulk, hasher: &IdHash, each: impl FnMut(Met<'b>)) {
    pair_up_in(STEPS, events, receipts, hasher, each);
}

fn pair_up_in<'b>(
    steps: Steps,
    events: &'b Bulk,
    receipts: &'b Bulk,
    hasher: &IdHash,
    mut each: impl FnMut(Met<'b>),
) {
    let (mut waiting_events, mut waiting_receipts) = (Waiting::of(events), Waiting::of(receipts));
    let (mut left, mut right) = (Walk::over(events, steps.runs_max), Walk::over(receipts, steps.runs_max));
    for bound in bounds(&left, &right, steps.rows) {
        left.until(bound, |place, event| {
            let hash = hasher.of_bytes(events.bytes(event));
            match waiting_receipts.take(hash, events, event) {
                Some(receipt) => each(Met::Pair(event, receipt, hash)),
                None => waiting_events.keep(hash, place),
            }
        });
        right.until(bound, |place, receipt| {
            let hash = hasher.of_bytes(receipts.bytes(receipt));
            match waiting_events.take(hash, receipts, receipt) {
                Some(event) => each(Met::Pair(event, receipt, hash)),
                None => waiting_receipts.keep(hash, place),
            }
        });
    }
    waiting_events.rows().for_each(|event| each(Met::Event(event)));
    waiting_receipts.rows().for_each(|receipt| each(Met::Receipt(receipt)));
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn bulk(rows: &[(String, i64)]) -> Bulk {
        let mut bulk = Bulk::default();
        for (id, at) in rows {
            assert!(bulk.push(id.as_bytes(), Micros(*at)));
        }
        bulk
    }

    fn rows() -> impl Strategy<Value = Vec<(String, i64)>> {
        let at = prop_oneof![8 => 0_i64..50, 1 => any::<i64>(), 1 => Just(i64::MIN), 1 => Just(i64::MAX)];
        proptest::collection::vec(("[ab]{1,3}|[0-9]{1,2}", at), 0..60)
    }

    fn removed(ids: &mut Vec<String>, id: &str) -> bool {
        ids.iter().position(|one| one == id).map(|at| ids.swap_remove(at)).is_some()
    }

    proptest! {
        #[test]
        fn each_row_is_met_once_and_pairs_have_one_id(
            mut events in rows(),
            mut receipts in rows(),
            runs in 1_usize..60,
            (rows, runs_max) in (1_usize..70, 1_usize..20),
        ) {
            for side in [&mut events, &mut receipts] {
                side.chunks_mut(60 / runs).for_each(|run| run.sort_by_key(|(_, at)| *at));
            }
            let (left, right) = (bulk(&events), bulk(&receipts));
            let ids = |rows: Vec<(String, i64)>| rows.into_iter().map(|(id, _)| id).collect::<Vec<_>>();
            let (events, receipts) = (ids(events), ids(receipts));
            let (mut open_events, mut open_receipts) = (events.clone(), receipts.clone());
            let (mut lone_events, mut lone_receipts) = (Vec::new(), Vec::new());
            let mut wrong = Vec::new();
            pair_up_in(Steps { rows, runs_max }, &left, &right, &IdHash::default(), |met| match met {
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
