//! The first pass: both sides slice by slice in time order, into the books.
//!
//! Slices are read ahead while earlier ones are entered, each table, or tables that are read together, by a task; the books
//! take them in order.

use super::gathered::{Gathered, busier_side};
use super::intake::Intake;
use super::part::{Answer, Cut, Pending, Task, UNSLICED_ROWS_MAX, widened};
use super::readers::Readers;
use super::record::Recorder;
use super::slicer::{ROWS_MAX, Slicer};
use super::sources::{ConsumerTables, Producer};
use super::tempo::Tempo;
use super::{Step, Watch};
use crate::book::FlowBook;
use crate::model::time::{DAY, SECOND};
use crate::model::{Micros, Span};
use crate::plan::{FlowPlan, FlowRules};
use crate::source::{Database, Slicing, SourceError};
use futures_util::future::join_all;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

/// So many slices are read before the first of them is entered in the books: a database that is faster than another has
/// its part of the next ones ready meanwhile.
const AHEAD: usize = 4;
/// As long as nobody knows how dense the rows are, they come as such, which takes much more room: only so many slices then, ...
const AHEAD_UNKNOWN: usize = 2;
/// ... and none of more rows than this.
const ROWS_UNKNOWN: usize = 20_000;
/// Of packed ones an odd number, since they are [uneven](Slicer::uneven).
const AHEAD_PACKED: usize = 3;
/// So many tables are read by one statement at the most.
const TOGETHER: usize = 16;
/// So many rows without any usable time are read.
pub(super) const UNDATED_ROWS_MAX: usize = 100_000;

/// Who was read: the producer, or the consumer at this place.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Who {
    Producer,
    Consumer(usize),
}

/// A failed source and whose it is.
pub(super) struct Failure {
    pub(super) who: Who,
    pub(super) error: SourceError,
}

/// Everything that one flow reads.
pub(super) struct Reading<'a> {
    pub(super) plan: &'a FlowPlan,
    pub(super) producer: &'a Producer,
    pub(super) consumers: &'a [Option<ConsumerTables>],
    /// So many flows are read side by side.
    pub(super) flows: usize,
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
        self.slices(&mut Intake::Streamed { book, recorder, failures: &mut failures }).await?;
        Ok(failures)
    }

    /// Reads everything, slice by slice, as long as it is taken in.
    pub(super) async fn slices(&self, intake: &mut Intake<'_, '_>) -> Result<(), SourceError> {
        let whole = self.whole_range(intake.book());
        let slicer = Slicer::new(whole, self.tempo());
        // Packed slices are for slow links.
        let mut slicer = if intake.is_packed() { slicer.uneven() } else { slicer };
        let mut ahead = VecDeque::new();
        let readers = Readers::new(self.databases(), self.flows, intake.is_packed());
        let mut rows = 0_u64;
        self.begin(&mut slicer, &mut ahead, whole, &readers, intake);
        while let Some(pending) = ahead.pop_front() {
            let slice = pending.slice;
            let (answers, took) = pending.answers().await;
            let too_many = answers.iter().any(|(_, answer)| matches!(answer, Ok(None)));
            if too_many && slicer.halve(slice) {
                // What was read behind it is read again.
                join_all(ahead.drain(..).map(Pending::answers)).await;
            } else {
                slicer.done(slice, busier_side(&answers), took);
            }
            self.begin(&mut slicer, &mut ahead, whole, &readers, intake);
            if too_many && slicer.is_before(slice) {
                continue;
            }
            let taken = intake.take(self, slice, answers).await;
            if taken.is_err() || intake.is_over() {
                // What is under way ends: no more statements run than the databases allow.
                join_all(ahead.drain(..).map(Pending::answers)).await;
            }
            rows += taken?;
            tracing::debug!(flow = self.plan.flow.name, from = %slice.from, until = %slice.until, rows, "slice read");
            (self.watch)(Step::Reading { flow: &self.plan.flow.name, share: slicer.share(), rows });
        }
        Ok(())
    }

    /// Begins to read as many slices as are read ahead.
    fn begin(
        &self,
        slicer: &mut Slicer,
        ahead: &mut VecDeque<Pending>,
        whole: Span,
        readers: &Readers,
        intake: &Intake<'_, '_>,
    ) {
        let (book, packed) = (intake.book(), intake.is_packed());
        let many = slicer.expects_many();
        let depth = match () {
            () if packed => AHEAD_PACKED,
            () if many => AHEAD,
            () => AHEAD_UNKNOWN,
        };
        // A table that is read whole comes with the first slice, and would be read again for each time that it is cut.
        let rows_max = if packed || many || self.reads_whole_tables() { ROWS_MAX } else { ROWS_UNKNOWN };
        while ahead.len() < depth
            && let Some(slice) = slicer.begin()
        {
            let max = if slice.micros() <= SECOND { UNSLICED_ROWS_MAX } else { rows_max };
            let first = slice.from == whole.from;
            let cut = Cut { slice, first, max, many, packed };
            let tables = self.tables(cut, book, readers);
            ahead.push_back(Pending { slice, tables });
        }
    }

    /// On the side that has more.
    fn tables_of_a_side(&self) -> usize {
        let consumers = self.consumers.iter().flatten().map(|tables| tables.receipts.len());
        consumers.chain([self.producer.tables.len()]).max().unwrap_or(1)
    }

    fn databases(&self) -> impl Iterator<Item = &Database> {
        let consumers = self.consumers.iter().flatten();
        let theirs = consumers.flat_map(|tables| {
            let receipts = tables.receipts.iter().map(|table| table.database());
            receipts.chain(tables.dead_letters.iter().map(|table| table.database()))
        });
        self.producer.tables.iter().map(|table| table.database()).chain(theirs)
    }

    fn reads_whole_tables(&self) -> bool {
        let events = self.producer.tables.iter().map(|table| table.slicing());
        events.chain(self.consumers.iter().flatten().flat_map(slicings)).any(|slicing| slicing.whole)
    }

    /// The gentlest of the databases sets it.
    fn tempo(&self) -> Tempo {
        let target = self.databases().map(|database| database.pace().slice_time).min();
        let rate = self.databases().filter_map(|database| database.pace().max_rows_per_second).min();
        let target = Duration::from_micros(target.and_then(|micros| micros.try_into().ok()).unwrap_or(1));
        let far = self.databases().any(Database::is_far);
        Tempo::new(target, rate, self.tables_of_a_side(), far)
    }

    /// Where the last event table's part ends.
    pub(super) fn events_end(&self) -> Micros {
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

    fn tables(&self, cut: Cut, book: &FlowBook, readers: &Readers) -> Vec<(Who, Task)> {
        let mut tables = Vec::new();
        for group in joined(&self.producer.tables, |one, next| !cut.packed && one.joins(next)) {
            let part = cut.part(self.plan.events, group[0].slicing());
            let task = part.and_then(|part| part.events(group, readers));
            tables.extend(task.map(|task| (Who::Producer, task)));
        }
        for (place, opened) in self.consumers.iter().enumerate().filter(|(place, _)| book.has(*place)) {
            let Some(opened) = opened else { continue };
            let (who, span) = (Who::Consumer(place), self.receipts_span(place, book.rules()));
            for group in joined(&opened.receipts, |one, next| !cut.packed && one.joins(next)) {
                let part = cut.part(span, group[0].slicing());
                let task = part.and_then(|part| part.receipts(group, readers));
                tables.extend(task.map(|task| (who, task)));
            }
            if let Some(table) = &opened.dead_letters
                && let Some(part) = cut.part(self.plan.receipts, table.slicing())
            {
                tables.push((who, part.dead_letters(table, readers)));
            }
        }
        tables
    }

    /// Enters what was read of a slice, the producer's rows first.
    pub(super) fn enter(
        &self,
        slice: Span,
        answers: Vec<Answer>,
        book: &mut FlowBook,
        failures: &mut Vec<Failure>,
    ) -> Result<u64, SourceError> {
        if slice.from >= self.events_end() {
            book.events_done();
        }
        let mut read = Gathered::new(self.consumers.len());
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
                (who, Ok(Some(batch))) => read.add(who, batch),
            }
        }
        let rows = read.rows;
        read.feed(book);
        Ok(rows)
    }
}

/// Neighbours that join each other, so many at the most.
fn joined<T>(tables: &[Arc<T>], joins: impl Fn(&T, &T) -> bool) -> impl Iterator<Item = &[Arc<T>]> {
    tables.chunk_by(move |one, next| joins(one, next)).flat_map(|group| group.chunks(TOGETHER))
}

/// The first failure of a consumer counts; the slice's other tables may have failed with it.
pub(super) fn lose(place: usize, error: SourceError, book: &mut FlowBook, failures: &mut Vec<Failure>) {
    if book.has(place) {
        book.lose(place);
        failures.push(Failure { who: Who::Consumer(place), error });
    }
}

fn slicings(tables: &ConsumerTables) -> impl Iterator<Item = Slicing> {
    let receipts = tables.receipts.iter().map(|table| table.slicing());
    receipts.chain(tables.dead_letters.iter().map(|table| table.slicing()))
}
