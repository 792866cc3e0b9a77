//! The second pass: every suspect is looked up by its id, without a time limit. Only this decides.

use super::read::{Failure, Reading, lose};
use super::record::Recorder;
use super::sources::ConsumerTables;
use super::{Step, Watch};
use crate::book::{Answers, FlowBook};
use crate::model::{Event, Id};
use crate::source::SourceError;
use futures_util::future::try_join_all;

/// So many ids are looked up at a time ...
const BATCH: usize = 1_000;
/// So many suspects at a time are listed to be looked up.
const PART: usize = 65_536;
/// ... or so many, where no index serves and each batch reads a table to its end.
const BATCH_UNINDEXED: usize = 100_000;

/// What went wrong, and on which side.
enum Side {
    Producer(SourceError),
    Consumer(SourceError),
}

impl Reading<'_> {
    /// Decides all suspects. A consumer whose look-ups fail is lost to the books.
    pub(super) async fn confirm(
        &self,
        book: &mut FlowBook,
        failures: &mut Vec<Failure>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), SourceError> {
        for part in 0..book.parts() {
            if part > 0 {
                book.open_part(part);
                recorder.take(book.take_found()).await;
            }
            self.part(book, failures, recorder).await?;
        }
        Ok(())
    }

    async fn part(
        &self,
        book: &mut FlowBook,
        failures: &mut Vec<Failure>,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), SourceError> {
        for (place, tables) in self.consumers.iter().enumerate() {
            let Some(tables) = tables else { continue };
            match self.consumer(place, tables, book, recorder).await {
                Ok(()) => {}
                Err(Side::Producer(error)) => return Err(error),
                Err(Side::Consumer(error)) => {
                    recorder.forget(&self.plan.flow.consumers[place].name);
                    lose(place, error, book, failures);
                }
            }
        }
        for ids in book.open_events().chunks(batch(self.events_indexed())) {
            let rows = self.events(ids).await?;
            book.decide_open(ids, rows);
            recorder.take(book.take_found()).await;
        }
        Ok(())
    }

    async fn consumer(
        &self,
        place: usize,
        tables: &ConsumerTables,
        book: &mut FlowBook,
        recorder: &mut Recorder<'_>,
    ) -> Result<(), Side> {
        let of = book.suspects_count(place);
        let indexed = self.events_indexed() && tables.receipts.iter().all(|table| table.look_up_indexed());
        let bounds = book.suspects_bounds(place, if indexed { PART } else { BATCH_UNINDEXED });
        let mut done = 0;
        for part in 0..=bounds.len() {
            let from = part.checked_sub(1).map(|before| &bounds[before]);
            let suspects = book.suspects_between(place, from, bounds.get(part));
            for ids in suspects.chunks(batch(indexed)) {
                self.ask(place, tables, ids, book).await?;
                recorder.take(book.take_found()).await;
                done += ids.len();
                progress(self.watch, &self.plan.flow.name, done, of);
            }
        }
        Ok(())
    }

    /// Looks a batch of suspects up on both sides, and decides them.
    async fn ask(
        &self,
        place: usize,
        tables: &ConsumerTables,
        ids: &[Id],
        book: &mut FlowBook,
    ) -> Result<(), Side> {
        let asked: Vec<_> = ids.iter().filter(|id| book.needs_event(place, id)).cloned().collect();
        let (events, own) = tokio::join!(self.events(&asked), traces(tables, ids));
        let answers = Answers { events: events.map_err(Side::Producer)?, ..own.map_err(Side::Consumer)? };
        book.decide(place, ids, answers);
        Ok(())
    }

    fn events_indexed(&self) -> bool {
        self.producer.tables.iter().all(|table| table.look_up_indexed())
    }

    /// A consumer's answers; `None` where it fails, which leaves everything there as it was.
    pub(super) async fn answers(&self, tables: &ConsumerTables, ids: &[Id]) -> Option<Answers> {
        match traces(tables, ids).await {
            Ok(answers) => Some(answers),
            Err(error) => {
                tracing::warn!(flow = self.plan.flow.name, "messages could not be looked up again: {error}");
                None
            }
        }
    }

    pub(super) async fn events(&self, ids: &[Id]) -> Result<Vec<Event>, SourceError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found = self.producer.tables.iter().map(|table| table.by_id(ids));
        Ok(try_join_all(found).await?.into_iter().flatten().collect())
    }
}

fn batch(indexed: bool) -> usize {
    if indexed { BATCH } else { BATCH_UNINDEXED }
}

async fn traces(tables: &ConsumerTables, ids: &[Id]) -> Result<Answers, SourceError> {
    let receipts = try_join_all(tables.receipts.iter().map(|table| table.by_id(ids))).await?;
    let dead_letters = match &tables.dead_letters {
        Some(table) => table.by_id(ids).await?,
        None => Vec::new(),
    };
    Ok(Answers { receipts: receipts.into_iter().flatten().collect(), dead_letters, ..Answers::default() })
}

fn progress(watch: Watch<'_>, flow: &str, done: usize, of: usize) {
    watch(Step::Confirming { flow, done, of });
}
