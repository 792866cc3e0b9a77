//! The part of a slice that one table has, or tables that are read together, read by a task of its own.

use super::read::Who;
use super::readers::Readers;
use super::sources::some_at_once;
use crate::clock::Stopwatch;
use crate::model::{DeadLetter, Span};
use crate::source::{
    Database, DeadLetterTable, EventSlice, EventTable, ReceiptSlice, ReceiptTable, Slicing, SourceError,
};
use futures_util::future::join_all;
use std::sync::Arc;
use std::time::Duration;
use tokio::task::JoinHandle;

/// A table that cannot be cut by time, or a second that cannot be cut further, may have so many rows.
pub(super) const UNSLICED_ROWS_MAX: usize = 2_000_000;

/// A part of a slice.
pub(super) enum Batch {
    Events(EventSlice),
    Receipts(ReceiptSlice),
    DeadLetters(Vec<DeadLetter>),
}

impl Batch {
    pub(super) fn len(&self) -> usize {
        match self {
            Self::Events(slice) => slice.len(),
            Self::Receipts(slice) => slice.len(),
            Self::DeadLetters(rows) => rows.len(),
        }
    }
}

pub(super) type Part = Result<Option<Batch>, SourceError>;
/// A part, and how long reading it took.
pub(super) type Task = JoinHandle<(Part, Duration)>;
pub(super) type Answer = (Who, Part);

/// A slice that is being read; what is not waited for any more is not read on.
pub(super) struct Pending {
    pub(super) slice: Span,
    pub(super) tables: Vec<(Who, Task)>,
}

impl Pending {
    /// What all tables gave, and how long the slowest took.
    pub(super) async fn answers(mut self) -> (Vec<Answer>, Duration) {
        let answers = std::mem::take(&mut self.tables).into_iter().map(async |(who, table)| {
            // A task that cannot be joined has panicked: what it would have read is unknown.
            let broken = |error: tokio::task::JoinError| {
                (Err(SourceError::broken("-", &error.to_string())), Duration::ZERO)
            };
            (who, table.await.unwrap_or_else(broken))
        });
        let answers = join_all(answers).await;
        let took = answers.iter().map(|(_, (_, took))| *took).max().unwrap_or_default();
        (answers.into_iter().map(|(who, (part, _))| (who, part)).collect(), took)
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.tables.iter().for_each(|(_, table)| table.abort());
    }
}

/// A slice, and how it is to be read.
#[derive(Clone, Copy)]
pub(super) struct Cut {
    pub(super) slice: Span,
    /// Tables that cannot be sliced are read with the first.
    pub(super) first: bool,
    /// No more rows than this of a table.
    pub(super) max: usize,
    /// Many rows are expected.
    pub(super) many: bool,
    /// Events and receipts come packed.
    pub(super) packed: bool,
}

impl Cut {
    /// A table's part of the slice; `None` where it has none.
    pub(super) fn part(self, wanted: Span, slicing: Slicing) -> Option<Self> {
        if slicing.whole {
            return self.first.then_some(Self { slice: wanted, max: UNSLICED_ROWS_MAX, ..self });
        }
        let wanted = widened(wanted, slicing);
        let slice = Span::new(self.slice.from.max(wanted.from), self.slice.until.min(wanted.until));
        (!slice.is_empty()).then_some(Self { slice, ..self })
    }

    /// Of tables that join each other, or of one.
    pub(super) fn events(self, tables: &[Arc<EventTable>], readers: &Readers) -> Option<Task> {
        let (tables, database) = (tables.to_vec(), tables.first()?.database().clone());
        let at_once = database.tables_at_once();
        Some(task(database, readers, async move {
            let together = tables.len() > 1;
            if together && let Some(read) = EventTable::read_together(&tables, self.slice, self.max).await? {
                return Ok(Some(Batch::Events(read)));
            }
            let each = tables.iter().map(async |table| {
                if self.packed {
                    return table.read_packed(self.slice, self.max).await;
                }
                // Which of them cannot be read together shows only in the short form.
                table.read_slice(self.slice, self.max, self.many || together).await
            });
            let read: Option<Vec<_>> = some_at_once(each.collect(), at_once).await?.into_iter().collect();
            Ok(read.map(|read| Batch::Events(read.into_iter().collect())))
        }))
    }

    /// The same.
    pub(super) fn receipts(self, tables: &[Arc<ReceiptTable>], readers: &Readers) -> Option<Task> {
        let (tables, database) = (tables.to_vec(), tables.first()?.database().clone());
        let at_once = database.tables_at_once();
        Some(task(database, readers, async move {
            let together = tables.len() > 1;
            if together && let Some(read) = ReceiptTable::read_together(&tables, self.slice).await? {
                return Ok(Some(Batch::Receipts(read)));
            }
            let each = tables.iter().map(async |table| {
                if self.packed {
                    return table.read_packed(self.slice, self.max).await;
                }
                table.read_slice(self.slice, self.max, self.many || together).await
            });
            let read: Option<Vec<_>> = some_at_once(each.collect(), at_once).await?.into_iter().collect();
            Ok(read.map(|read| Batch::Receipts(read.into_iter().collect())))
        }))
    }

    pub(super) fn dead_letters(self, table: &Arc<DeadLetterTable>, readers: &Readers) -> Task {
        let (table, database) = (Arc::clone(table), table.database().clone());
        task(
            database,
            readers,
            async move { Ok(table.read(self.slice, self.max).await?.map(Batch::DeadLetters)) },
        )
    }
}

/// Reads on a thread of its own. For how long the database held statements up is no time that reading took.
fn task(database: Database, readers: &Readers, read: impl Future<Output = Part> + Send + 'static) -> Task {
    let readers = readers.of(&database);
    tokio::spawn(async move {
        let _permit = readers.acquire().await;
        let (stopwatch, waited) = (Stopwatch::start(), database.waited());
        let part = read.await;
        let held_up = database.waited().saturating_sub(waited);
        (part, stopwatch.elapsed().saturating_sub(held_up))
    })
}

pub(super) fn widened(span: Span, slicing: Slicing) -> Span {
    span.widened(slicing.margin, slicing.margin)
}
