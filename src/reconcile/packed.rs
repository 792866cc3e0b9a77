//! The first pass over a slow link: of every row come the end of its id's digest and its time, 13 bytes, and pairs are
//! found by their digests. Nothing is recorded or told before all of it is known to fit together; else the rows are
//! streamed into fresh books.
//!
//! What makes it sound:
//! - Neither side can hold an id twice, so that a pair is all that there is of its id. What comes twice all the same has
//!   changed while the run was reading, and the rows are streamed.
//! - A digest that is not paired in time is looked up by its instant, before anything is said of it, and from there on goes
//!   by its id as if its row had been streamed. One that cannot be found again as exactly one row ends the reading.
//! - Rows that were read with their ids (not acked, dead letters, odd ids) wait until then, so that they meet the others by
//!   their ids. Their digests are known from when they were read: a pair with one of them is not settled by its digest.
//! - A message without a receipt would pass for consumed only if a receipt without an event had the same 64 bits: of m such
//!   events and n such receipts about m * n / 2^64.

mod unpack;

use super::part::{Answer, Batch};
use crate::book::FlowBook;
use crate::model::{DeadLetter, Event, Id, Micros, PackedEvents, PackedRow, Receipt};
use crate::pair::Digests;
use crate::sketch::Digest;
use crate::source::{EventSlice, ReceiptSlice};
use std::collections::HashSet;

use super::read::Who;

/// So many rows are kept aside with their ids; more of them are streamed.
const ASIDE_MAX: usize = 200_000;
/// So many digests of one consumer are held at the same time, if the memory allows it.
const HELD_MAX: usize = 4_000_000;

/// What was read packed, and the books of what is settled of it.
pub(super) struct Packed {
    book: FlowBook,
    /// In the order of the consumers, as the rest.
    sides: Vec<Digests>,
    receipts: Vec<Vec<Receipt>>,
    dead_letters: Vec<Vec<DeadLetter>>,
    events: Vec<Event>,
    /// Digests of ids that rows were read with.
    known: HashSet<u64>,
    /// Acked events whose id was known before they came: in the books by their ids alone.
    whole: Vec<PackedRow>,
    held_max: usize,
    aside: usize,
    rows: u64,
    events_done: bool,
    /// Why the rows have to be streamed.
    over: Option<String>,
}

impl Packed {
    /// Nothing read yet. `book` is fresh but for rows that lie beside any range, whose ids are `aside`.
    pub(super) fn new<'a>(book: FlowBook, aside: impl Iterator<Item = &'a Id>) -> Self {
        let consumers = book.rules().consumers.len();
        let memory = usize::try_from(book.rules().memory).unwrap_or(usize::MAX);
        Self {
            sides: (0..consumers).map(|_| Digests::new(book.rules().late_after)).collect(),
            receipts: vec![Vec::new(); consumers],
            dead_letters: vec![Vec::new(); consumers],
            events: Vec::new(),
            known: aside.map(|id| Digest::of(id).word).collect(),
            whole: Vec::new(),
            held_max: (memory / Digests::COST / consumers.max(1)).min(HELD_MAX),
            aside: 0,
            rows: 0,
            events_done: false,
            over: None,
            book,
        }
    }

    pub(super) fn book(&self) -> &FlowBook {
        &self.book
    }

    pub(super) fn is_over(&self) -> bool {
        self.over.is_some()
    }

    fn give_up(&mut self, why: impl FnOnce() -> String) {
        self.over.get_or_insert_with(why);
    }

    /// Takes in what all tables gave of a slice, in the order in which books take it; gives how many rows that were.
    /// `events_done`: every event of the range was read before.
    pub(super) fn take(&mut self, answers: Vec<Answer>, events_done: bool) -> u64 {
        self.events_done |= events_done;
        let before = self.rows;
        let (mut events, mut receipts, mut letters) = (Vec::new(), Vec::new(), Vec::new());
        for (who, answer) in answers {
            match answer {
                Ok(Some(Batch::Events(slice))) => events.push(slice),
                Ok(Some(Batch::Receipts(slice))) => receipts.extend(place(who).map(|place| (place, slice))),
                Ok(Some(Batch::DeadLetters(rows))) => letters.push((who, rows)),
                Ok(None) => self.give_up(|| "a second has more rows than one answer holds".to_owned()),
                Err(error) => self.give_up(|| error.to_string()),
            }
        }
        let mut sides = vec![(Vec::new(), Vec::new()); self.sides.len()];
        for group in events.iter_mut().flat_map(|slice| std::mem::take(&mut slice.packed)) {
            self.take_events(&group, &mut sides);
        }
        for (place, slice) in &mut receipts {
            self.rows += slice.packed.len() as u64;
            sides[*place].1.append(&mut slice.packed);
        }
        for (place, (events, receipts)) in sides.into_iter().enumerate() {
            self.join(place, events, receipts);
        }
        events.into_iter().for_each(|slice| self.keep_events(slice));
        receipts.into_iter().for_each(|(place, slice)| self.keep_receipts(place, slice));
        letters.into_iter().for_each(|(who, rows)| self.keep_letters(who, rows));
        self.check_room();
        self.rows - before
    }

    /// Counts acked events, and gives each consumer those that it must see.
    fn take_events(&mut self, group: &PackedEvents, sides: &mut [(Vec<PackedRow>, Vec<PackedRow>)]) {
        self.rows += group.rows.len() as u64;
        for row in &group.rows {
            if !self.book.rules().span.contains(row.at) {
                continue;
            }
            if self.known.contains(&row.digest) {
                self.whole.push(*row);
                continue;
            }
            self.book.packed_event(row.at);
            for (place, (events, _)) in sides.iter_mut().enumerate() {
                let expected = group.expected_by >> place & 1 == 1 && self.book.has(place);
                if expected && self.book.rules().consumers[place].owes(row.at) {
                    events.push(*row);
                }
            }
        }
    }

    fn join(&mut self, place: usize, events: Vec<PackedRow>, receipts: Vec<PackedRow>) {
        let (span, known, events_done) = (self.book.rules().span, &self.known, self.events_done);
        let waits = |row: PackedRow| !events_done || span.contains(row.at) || known.contains(&row.digest);
        let joined = self.sides[place].join(events, receipts, |digest| known.contains(&digest), waits);
        for (acked, consumed) in joined.pairs {
            self.book.packed_pair(place, acked, consumed);
        }
        self.book.outside(place, joined.outside);
        if joined.twice {
            self.give_up(|| "rows changed while they were read".to_owned());
        }
    }

    fn keep_events(&mut self, slice: EventSlice) {
        self.keep(slice.rows.len());
        self.known.extend(slice.rows.iter().filter_map(|row| digest(row.id.as_ref())));
        self.events.extend(slice.rows);
    }

    fn keep_receipts(&mut self, place: usize, slice: ReceiptSlice) {
        self.keep(slice.rows.len());
        self.known.extend(slice.rows.iter().filter_map(|row| digest(row.id.as_ref())));
        self.receipts[place].extend(slice.rows);
    }

    fn keep_letters(&mut self, who: Who, rows: Vec<DeadLetter>) {
        let Some(place) = place(who) else { return };
        self.keep(rows.len());
        self.known.extend(rows.iter().filter_map(|row| digest(row.id.as_ref())));
        // Its reason comes with the look-up that every dead letter gets.
        self.dead_letters[place].extend(rows.into_iter().map(|row| DeadLetter { reason: None, ..row }));
    }

    fn keep(&mut self, rows: usize) {
        self.rows += rows as u64;
        self.aside += rows;
    }

    fn check_room(&mut self) {
        if self.aside > ASIDE_MAX {
            self.give_up(|| format!("more than {ASIDE_MAX} rows cannot be packed"));
        }
        let held = self.sides.iter().map(Digests::len).max().unwrap_or(0);
        if held > self.held_max {
            self.give_up(|| format!("more than {held} rows wait for their counterpart"));
        }
    }
}

fn place(who: Who) -> Option<usize> {
    match who {
        Who::Consumer(place) => Some(place),
        Who::Producer => None,
    }
}

fn digest(id: Option<&Id>) -> Option<u64> {
    id.map(|id| Digest::of(id).word)
}

/// What is held at the end and has to be looked up, and receipts that lie outside the range and belong to nothing in it.
#[derive(Debug, Default)]
struct Left {
    /// Events that some consumer lacks, or whose id was known.
    events: Vec<PackedRow>,
    /// By consumer.
    receipts: Vec<Vec<PackedRow>>,
    outside: Vec<u64>,
}

impl Packed {
    fn left(&self) -> Left {
        let mut left = Left::default();
        let inside = |at: Micros| self.book.rules().span.contains(at);
        for side in &self.sides {
            left.events.extend(side.events().map(|(row, _)| row));
            let (asked, outside): (Vec<_>, Vec<_>) = side
                .receipts()
                .partition(|(row, event)| *event || inside(row.at) || self.known.contains(&row.digest));
            left.receipts.push(sorted(asked.into_iter().map(|(row, _)| row).collect()));
            left.outside.push(outside.len() as u64);
        }
        left.events.extend(&self.whole);
        left.events = sorted(left.events);
        left
    }
}

/// By instant, so that neighbours are looked up together; each once.
fn sorted(mut rows: Vec<PackedRow>) -> Vec<PackedRow> {
    rows.sort_unstable_by_key(|row| (row.at, row.digest));
    rows.dedup();
    rows
}

#[cfg(test)]
mod tests;
