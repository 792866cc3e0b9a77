//! What all tables gave of a slice, on its way into the books.

use super::part::{Answer, Batch};
use super::read::Who;
use crate::book::FlowBook;
use crate::model::{Bulk, DeadLetter, Event, Receipt, ShortEvents};
use crate::source::ReceiptSlice;
use std::collections::BTreeMap;

/// How many rows the side gave that gave more.
pub(super) fn busier_side(answers: &[Answer]) -> usize {
    let mut rows = BTreeMap::new();
    for (who, answer) in answers {
        let read = answer.as_ref().ok().and_then(Option::as_ref).map_or(0, Batch::len);
        *rows.entry(*who).or_insert(0) += read;
    }
    rows.into_values().max().unwrap_or(0)
}

/// What all tables gave of a slice.
pub(super) struct Gathered {
    pub(super) rows: u64,
    short_events: Vec<ShortEvents>,
    events: Vec<Event>,
    /// Of each consumer.
    short_receipts: Vec<Bulk>,
    receipts: Vec<(usize, Vec<Receipt>)>,
    dead_letters: Vec<(usize, Vec<DeadLetter>)>,
}

impl Gathered {
    pub(super) fn new(consumers: usize) -> Self {
        Self {
            rows: 0,
            short_events: Vec::new(),
            events: Vec::new(),
            short_receipts: vec![Bulk::default(); consumers],
            receipts: Vec::new(),
            dead_letters: Vec::new(),
        }
    }

    pub(super) fn add(&mut self, who: Who, batch: Batch) {
        self.rows += batch.len() as u64;
        match (who, batch) {
            (_, Batch::Events(slice)) => {
                self.short_events.extend(slice.short);
                self.events.extend(slice.rows);
            }
            (Who::Consumer(place), Batch::Receipts(slice)) => self.add_receipts(place, slice),
            (Who::Consumer(place), Batch::DeadLetters(rows)) => self.dead_letters.push((place, rows)),
            (Who::Producer, Batch::Receipts(_) | Batch::DeadLetters(_)) => {}
        }
    }

    fn add_receipts(&mut self, place: usize, slice: ReceiptSlice) {
        let bulk = &mut self.short_receipts[place];
        if bulk.is_empty() {
            *bulk = slice.short;
        } else if !bulk.append(&slice.short) {
            // More text than one buffer holds.
            self.receipts.push((place, slice.short.receipts().collect()));
        }
        self.receipts.push((place, slice.rows));
    }

    pub(super) fn feed(self, book: &mut FlowBook) {
        book.slice(self.short_events, self.short_receipts);
        self.events.iter().for_each(|row| book.event(row));
        for (place, rows) in self.receipts {
            rows.into_iter().for_each(|row| book.receipt(place, row));
        }
        for (place, rows) in self.dead_letters {
            rows.into_iter().for_each(|row| book.dead_letter(place, row));
        }
    }
}
