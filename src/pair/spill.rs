//! What does not fit into memory: in a temporary file without a name, which is gone when the run is, however it ends.
//!
//! Each time memory is full, what is held is written as a *run* in the order of the ids, and every so many entries one
//! id of it is remembered as a *mark*. At the end the marks of all runs say at which ids to part everything, so that
//! each part fits into memory whatever the order was in which the ids came: an external merge. Parts in the order of the
//! ids are what databases look up fast, since neighbours lie together there too.

use super::filter::Filters;
use super::{Seen, entry};
use crate::model::Id;
use hashbrown::HashMap;
use std::fs::File;
use std::io::{self, BufReader, BufWriter, Read as _, Seek as _, SeekFrom, Write as _};

/// A full memory has about so many marks: with up to as many runs less one, no part needs more than it.
const MARKS: usize = 1_024;
/// So many bytes are written and read at a time, ...
const CHUNK: usize = 1 << 16;
/// ... fewer of each run where there are many, since a part has little of each then ...
const MEMORY: usize = 1 << 22;
/// ... but not fewer than a page.
const CHUNK_MIN: usize = 1 << 12;

/// What one time of full memory held.
#[derive(Debug)]
struct Run {
    /// The first id, and then one every so many entries.
    marks: Vec<Id>,
    /// Where the first entry lies that was not taken yet.
    next: u64,
    end: u64,
}

/// The file and where its runs are.
#[derive(Debug, Default)]
pub struct Spill {
    file: Option<File>,
    end: u64,
    /// From one mark to the next.
    step: usize,
    runs: Vec<Run>,
    /// Which ids each run may have.
    filters: Filters,
}

impl Spill {
    /// Empty; memory is full with so many entries.
    #[must_use]
    pub fn new(held_max: usize) -> Self {
        Self { step: (held_max / MARKS).max(1), ..Self::default() }
    }

    /// Whether nothing was ever put here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    /// Whether an id may be here; where it is not, this is mostly known.
    #[must_use]
    pub fn may_hold(&self, id: &Id) -> bool {
        self.filters.may_hold(id)
    }

    /// How many times something was put here.
    #[must_use]
    pub fn runs(&self) -> usize {
        self.runs.len()
    }

    /// Whether an id may be among what was put here in the first so many times.
    #[must_use]
    pub fn may_hold_among(&self, id: &Id, runs: usize) -> bool {
        self.filters.may_hold_among(id, runs)
    }

    /// Nothing more will be put here, or asked for but to be taken.
    pub fn close(&mut self) {
        self.filters = Filters::default();
    }

    /// Writes a run.
    ///
    /// # Errors
    /// If the temporary folder cannot be written to, or is full.
    pub fn put(&mut self, held: &HashMap<Id, Seen>) -> io::Result<()> {
        let mut entries: Vec<_> = held.iter().collect();
        entries.sort_unstable_by_key(|(id, _)| *id);
        let mut run = Run { marks: Vec::new(), next: self.end, end: self.end };
        self.filters.begin(held.len());
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        let (mut writer, mut bytes) = (BufWriter::with_capacity(CHUNK, file), Vec::new());
        for (place, (id, seen)) in entries.into_iter().enumerate() {
            if place.is_multiple_of(self.step) {
                run.marks.push(id.clone());
            }
            self.filters.add(id);
            bytes.clear();
            entry::write(&mut bytes, id, seen);
            writer.write_all(&bytes)?;
            run.end += bytes.len() as u64;
        }
        writer.flush()?;
        self.end = run.end;
        self.runs.push(run);
        Ok(())
    }

    /// Hands over everything below an id that was not taken yet, run by run.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold what was written.
    pub fn take(&mut self, until: Option<&Id>, each: &mut dyn FnMut(Id, Seen)) -> io::Result<()> {
        let chunk = (MEMORY / self.runs.len().max(1)).clamp(CHUNK_MIN, CHUNK);
        for run in self.runs.iter_mut().filter(|run| run.next < run.end) {
            let Some(file) = &mut self.file else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            file.seek(SeekFrom::Start(run.next))?;
            let mut reader = BufReader::with_capacity(chunk, file.take(run.end - run.next));
            while run.next < run.end {
                let (id, seen, length) = entry::read(&mut reader)?;
                if until.is_some_and(|until| id >= *until) {
                    break;
                }
                run.next += length;
                each(id, seen);
            }
        }
        Ok(())
    }

    /// Where parts can end.
    pub fn marks(&self, room: usize) -> Marks<'_> {
        let mut ids: Vec<_> = self.runs.iter().flat_map(|run| &run.marks).collect();
        ids.sort_unstable();
        if self.step == 1 {
            // Every entry is one, and those with the same id are one entry in memory.
            ids.dedup();
        }
        // A part may begin between two marks, of each run; with very many runs it may be half as large again as the room,
        // lest there be more parts than can be read.
        let begun = if self.step == 1 { 0 } else { self.runs.len() };
        let each = room / self.step;
        Marks { ids, each: each.saturating_sub(begun).max(each / 2).max(1) }
    }
}

/// The marks of all runs, in order.
pub struct Marks<'s> {
    ids: Vec<&'s Id>,
    /// A part may have so many.
    each: usize,
}

impl Marks<'_> {
    /// Where a part ends at the latest that begins at an id; `None` where all of the rest is one.
    pub fn end(&self, from: Option<&Id>) -> Option<&Id> {
        let begin = from.map_or(0, |from| self.ids.partition_point(|mark| *mark < from));
        let rest = self.ids.get(begin + self.each..)?;
        // What all runs have of an id belongs together, be it more than fits.
        let first = self.ids[begin];
        rest.iter().copied().find(|mark| *mark > first)
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Pairing, Room, bounds};
    use super::*;
    use crate::classify::Facts;
    use crate::model::{Micros, State};
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn run(entries: &[(Id, Seen)]) -> HashMap<Id, Seen> {
        entries.iter().cloned().collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn everything_comes_back_once_in_the_part_it_belongs_to(
            batches in proptest::collection::vec(proptest::collection::vec(entry::any(), 0..30), 1..4),
            room in 1_usize..20,
            held_max in prop_oneof![Just(1_usize), Just(5_000)],
        ) {
            let mut spill = Spill::new(held_max);
            let batches: Vec<_> = batches.iter().map(|batch| run(batch)).collect();
            for batch in &batches {
                spill.put(batch).unwrap();
                prop_assert!(batch.keys().all(|id| spill.may_hold(id)));
            }
            let mut bounds: Vec<Id> = Vec::new();
            while let Some(next) = spill.marks(room).end(bounds.last()).cloned() {
                prop_assert!(bounds.last().is_none_or(|last| *last < next));
                bounds.push(next);
            }
            let mut back = Vec::new();
            for part in 0..=bounds.len() {
                let (from, until) = (part.checked_sub(1).map(|before| &bounds[before]), bounds.get(part));
                let mut fits = true;
                let keep = &mut |id: Id, seen: Seen| {
                    fits &= from.is_none_or(|from| *from <= id) && until.is_none_or(|until| id < *until);
                    back.push((id, format!("{seen:?}")));
                };
                spill.take(until, keep).unwrap();
                prop_assert!(fits);
            }
            let all = batches.iter().flatten().map(|(id, seen)| (id.clone(), format!("{seen:?}")));
            let mut all: Vec<_> = all.collect();
            all.sort();
            back.sort();
            prop_assert_eq!(back, all);
        }

        #[test]
        fn no_part_is_larger_than_the_room_whatever_the_order_of_the_ids(
            (order, events) in (0_usize..4, 1_usize..4_000),
            places in prop_oneof![Just(16_u64), Just(256), Just(2_048)],
        ) {
            // Above 1,024 places not every entry has a mark.
            let mut pairings: Vec<_> = (0..2).map(|_| {
                Pairing::new(true, None, Room::within(places * 64, 1))
            }).collect();
            let held_max = Room::within(places * 64, 1).held_max;
            let mut whole: BTreeMap<Id, u32> = BTreeMap::new();
            let facts = Facts { state: State::Acked, acked: Some(Micros(1)), created: None, rows: 1 };
            for place in 0..events {
                let number = match order {
                    0 => place,
                    1 => events - place,
                    2 => place * 7_919 % events,
                    // A few ids again and again.
                    _ => place % 40,
                };
                let id = Id::from_integer(number as i128);
                pairings[0].event(&id, facts, false);
                if place % 3 == 0 {
                    pairings[1].event(&id, facts, false);
                }
                *whole.entry(id).or_default() += 1;
            }
            let spilled = pairings.iter().any(Pairing::is_spilled);
            pairings.iter_mut().for_each(|pairing| pairing.close(spilled));
            let bounds = bounds(&pairings.iter().collect::<Vec<_>>());
            let mut rows: BTreeMap<Id, u32> = BTreeMap::new();
            for part in 0..=bounds.len() {
                for (place, pairing) in pairings.iter_mut().enumerate() {
                    let held = pairing.take(bounds.get(part), &mut |_, _, _| ());
                    prop_assert!(held.len() <= held_max, "{} of {}", held.len(), held_max);
                    for (id, seen) in held.into_iter().filter(|_| place == 0) {
                        rows.insert(id, seen.event().unwrap().rows);
                    }
                }
            }
            prop_assert!(bounds.len() <= 4 * (1 + whole.len() / held_max), "{} parts", bounds.len() + 1);
            prop_assert_eq!(rows, whole);
        }
    }
}
