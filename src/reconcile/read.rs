//! The first pass: both sides slice by slice in time order, into the books.

use super::record::Recorder;
use super::sources::{ConsumerTables, Producer};
use super::{Step, Watch};
use crate::book::FlowBook;
use crate::model::time::DAY;
use crate::model::{DeadLetter, Event, Micros, Receipt, Span};
use crate::plan::{FlowPlan, FlowRules};
use crate::source::{Slicing, SourceError};
use futures_util::StreamExt as _;
use futures_util::future::{BoxFuture, FutureExt as _};
use futures_util::stream;

use super::slicer::{ROWS_MAX, Slicer};

/// So many statements of one flow run at the same time.
const READERS_MAX: usize = 8;
/// A table that cannot be cut by time, or a second that cannot be cut further, may have so many rows.
const UNSLICED_ROWS_MAX: usize = 2_000_000;
/// So many rows without any usable time are read.
pub(super) const UNDATED_ROWS_MAX: usize = 100_000;

/// One table's part of a slice.
enum Batch {
    Events(Vec<Event>),
    Receipts(Vec<Receipt>),
    DeadLetters(Vec<DeadLetter>),
}

impl Batch {
    fn len(&self) -> usize {
        match self {
            Self::Events(rows) => rows.len(),
            Self::Receipts(rows) => rows.len(),
            Self::DeadLetters(rows) => rows.len(),
        }
    }
}

/// Who was read: the producer, or the consumer at this place.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Who {
    Producer,
    Consumer(usize),
}

/// A failed source and whose it is.
pub(super) struct Failure {
    pub(super) who: Who,
    pub(super) error: SourceError,
}

type Answer = (Who, Result<Option<Batch>, SourceError>);
type Reader<'a> = BoxFuture<'a, Answer>;

/// Everything that one flow reads.
pub(super) struct Reading<'a> {
    pub(super) plan: &'a FlowPlan,
    pub(super) producer: &'a Producer,
    pub(super) consumers: &'a [Option<ConsumerTables>],
    pub(super) watch: Watch<'a>,
}

impl Reading<'_> {
    /// Reads everything into the books. A consumer that fails is lost to the books and comes back as a failure; a
    /// producer that fails ends the flow.
    pub(super) async fn run(
        &self,
        book: &mut FlowBook,
        recorder: &mut Recorder<'_>,
    ) -> Result<Vec<Failure>, SourceError> {
        let mut failures = Vec::new();
        let mut slicer = Slicer::new(self.whole_range(book));
        let events_end = self.events_end();
        let (mut rows, mut first) = (0_u64, true);
        while let Some(slice) = slicer.slice() {
            let max = if slice.micros() <= crate::model::time::SECOND { UNSLICED_ROWS_MAX } else { ROWS_MAX };
            let answers = self.slice(slice, first, max, book).await;
            if answers.iter().any(|(_, answer)| matches!(answer, Ok(None))) && slicer.halve() {
                continue;
            }
            let busiest =
                answers.iter().filter_map(|(_, answer)| Some(answer.as_ref().ok()?.as_ref()?.len())).max();
            if slice.from >= events_end {
                book.events_done();
            }
            rows += self.enter(answers, book, &mut failures)?;
            recorder.take(book.take_found()).await;
            slicer.done(busiest.unwrap_or(0));
            first = false;
            tracing::debug!(flow = self.plan.flow.name, from = %slice.from, until = %slice.until, rows, "slice read");
            (self.watch)(Step::Reading { flow: &self.plan.flow.name, share: slicer.share(), rows });
        }
        Ok(failures)
    }

    /// Where the last event table's part ends.
    fn events_end(&self) -> Micros {
        let ends = self.producer.tables.iter().map(|table| widened(self.plan.events, table.slicing()).until);
        ends.max().unwrap_or(self.plan.events.until)
    }

    /// From the first instant that any table wants to the last.
    fn whole_range(&self, book: &FlowBook) -> Span {
        let mut range = self.plan.events;
        let mut cover = |span: Span| {
            range = Span::new(range.from.min(span.from), range.until.max(span.until));
        };
        for table in &self.producer.tables {
            cover(widened(self.plan.events, table.slicing()));
        }
        for (place, tables) in self.consumers.iter().enumerate() {
            let span = self.receipts_span(place, book.rules());
            for slicing in tables.iter().flat_map(slicings) {
                cover(widened(span, slicing));
            }
        }
        range
    }

    /// Receipts of the range and near it; where an id may have several receipts all later ones too, since a message
    /// may be consumed again at any time.
    pub(super) fn receipts_span(&self, place: usize, rules: &FlowRules) -> Span {
        let near = self.plan.receipts;
        if rules.consumers[place].receipt_ids_unique {
            return near;
        }
        Span::new(near.from, near.until.max(rules.as_of.plus(DAY)))
    }

    async fn slice(&self, slice: Span, first: bool, max: usize, book: &FlowBook) -> Vec<Answer> {
        let mut readers: Vec<Reader<'_>> = Vec::new();
        for table in &self.producer.tables {
            if let Some((part, max)) = part(slice, first, max, self.plan.events, table.slicing()) {
                readers
                    .push(table.read(part, max).map(|got| answer(Who::Producer, got, Batch::Events)).boxed());
            }
        }
        for (place, tables) in self.consumers.iter().enumerate().filter(|(place, _)| book.has(*place)) {
            let span = self.receipts_span(place, book.rules());
            if let Some(tables) = tables {
                readers.extend(tables.readers(
                    Who::Consumer(place),
                    slice,
                    first,
                    max,
                    span,
                    self.plan.receipts,
                ));
            }
        }
        stream::iter(readers).buffered(READERS_MAX).collect().await
    }

    /// Enters what was read, the producer's rows first.
    fn enter(
        &self,
        answers: Vec<Answer>,
        book: &mut FlowBook,
        failures: &mut Vec<Failure>,
    ) -> Result<u64, SourceError> {
        let mut rows = 0;
        for (who, answer) in answers {
            match (who, answer) {
                (Who::Producer, Err(error)) => return Err(error),
                (Who::Producer, Ok(None)) => {
                    let source = &self.plan.flow.events.database;
                    return Err(SourceError::too_many_rows(source, UNSLICED_ROWS_MAX));
                }
                (Who::Consumer(place), Ok(None)) => {
                    let source = &self.plan.flow.consumers[place].database;
                    lose(place, SourceError::too_many_rows(source, UNSLICED_ROWS_MAX), book, failures);
                }
                (Who::Consumer(place), Err(error)) => lose(place, error, book, failures),
                (who, Ok(Some(batch))) => {
                    rows += batch.len() as u64;
                    feed(who, batch, book);
                }
            }
        }
        Ok(rows)
    }
}

/// The first failure of a consumer counts; the slice's other tables may have failed with it.
pub(super) fn lose(place: usize, error: SourceError, book: &mut FlowBook, failures: &mut Vec<Failure>) {
    if book.has(place) {
        book.lose(place);
        failures.push(Failure { who: Who::Consumer(place), error });
    }
}

fn feed(who: Who, batch: Batch, book: &mut FlowBook) {
    match (who, batch) {
        (_, Batch::Events(rows)) => rows.iter().for_each(|row| book.event(row)),
        (Who::Consumer(place), Batch::Receipts(rows)) => {
            rows.into_iter().for_each(|row| book.receipt(place, row));
        }
        (Who::Consumer(place), Batch::DeadLetters(rows)) => {
            rows.into_iter().for_each(|row| book.dead_letter(place, row));
        }
        (Who::Producer, Batch::Receipts(_) | Batch::DeadLetters(_)) => {}
    }
}

fn answer<T>(who: Who, got: Result<Option<T>, SourceError>, batch: impl FnOnce(T) -> Batch) -> Answer {
    (who, got.map(|rows| rows.map(batch)))
}

fn widened(span: Span, slicing: Slicing) -> Span {
    span.widened(slicing.margin, slicing.margin)
}

fn slicings(tables: &ConsumerTables) -> impl Iterator<Item = Slicing> {
    let receipts = tables.receipts.iter().map(crate::source::ReceiptTable::slicing);
    receipts.chain(tables.dead_letters.iter().map(crate::source::DeadLetterTable::slicing))
}

/// A table's part of a slice, and how many rows it may give; `None` where it has none.
fn part(slice: Span, first: bool, max: usize, wanted: Span, slicing: Slicing) -> Option<(Span, usize)> {
    if slicing.whole {
        return first.then_some((wanted, UNSLICED_ROWS_MAX));
    }
    let wanted = widened(wanted, slicing);
    let part = Span::new(slice.from.max(wanted.from), slice.until.min(wanted.until));
    (!part.is_empty()).then_some((part, max))
}

impl ConsumerTables {
    fn readers(
        &self,
        who: Who,
        slice: Span,
        first: bool,
        max: usize,
        receipts: Span,
        dead: Span,
    ) -> Vec<Reader<'_>> {
        let mut readers: Vec<Reader<'_>> = Vec::new();
        for table in &self.receipts {
            if let Some((part, max)) = part(slice, first, max, receipts, table.slicing()) {
                readers.push(table.read(part, max).map(move |got| answer(who, got, Batch::Receipts)).boxed());
            }
        }
        if let Some(table) = &self.dead_letters
            && let Some((part, max)) = part(slice, first, max, dead, table.slicing())
        {
            readers.push(table.read(part, max).map(move |got| answer(who, got, Batch::DeadLetters)).boxed());
        }
        readers
    }
}
