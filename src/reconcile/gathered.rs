//! What all tables gave of a slice, on its way into the books.

use super::part::{Answer, Batch};
use super::read::Who;
use crate::book::FlowBook;
use crate::model::DeadLetter;
use crate::source::{EventSlice, ReceiptSlice};
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
    events: EventSlice,
    /// Of each consumer.
    receipts: Vec<ReceiptSlice>,
    dead_letters: Vec<(usize, Vec<DeadLetter>)>,
}

impl Gathered {
    pub(super) fn new(consumers: usize) -> Self {
        let receipts = (0..consumers).map(|_| ReceiptSlice::default()).collect();
        Self { rows: 0, events: EventSlice::default(), receipts, dead_letters: Vec::new() }
    }

    pub(super) fn add(&mut self, who: Who, batch: Batch) {
        self.rows += batch.len() as u64;
        match (who, batch) {
            (_, Batch::Events(slice)) => self.events.append(slice),
            (Who::Consumer(place), Batch::Receipts(slice)) => self.receipts[place].append(slice),
            (Who::Consumer(place), Batch::DeadLetters(rows)) => self.dead_letters.push((place, rows)),
            (Who::Producer, Batch::Receipts(_) | Batch::DeadLetters(_)) => {}
        }
    }

    pub(super) fn feed(self, book: &mut FlowBook) {
        let (short, rows): (Vec<_>, Vec<_>) = self.receipts.into_iter().map(|it| (it.short, it.rows)).unzip();
        book.slice(self.events.short, &short);
        self.events.rows.iter().for_each(|row| book.event(row));
        for (place, rows) in rows.into_iter().enumerate() {
            rows.into_iter().for_each(|row| book.receipt(place, row));
        }
        for (place, rows) in self.dead_letters {
            rows.into_iter().for_each(|row| book.dead_letter(place, row));
        }
    }
}
