//! The second pass: every suspect is looked up by its id, without a time limit. Only this decides.
//!
//! Batches are looked up side by side and decided one after the other, in the order of the ids.

use super::Step;
use super::read::{Failure, Reading, lose};
use super::record::Recorder;
use super::sources::{ConsumerTables, Producer};
use crate::book::{Answers, FlowBook};
use crate::clock::Stopwatch;
use crate::model::Id;
use crate::source::SourceError;
use std::collections::VecDeque;
use std::time::Duration;
use tokio::task::JoinHandle;

/// So many ids are looked up at a time ...
const BATCH: usize = 1_000;
/// ... or so many, where no index serves and each batch reads a table to its end.
const BATCH_UNINDEXED: usize = 100_000;
/// So many suspects at a time are listed to be looked up.
const PART: usize = 65_536;
/// So many batches are under way at once; no database runs more statements than it has connections.
const AHEAD: usize = 4;

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
        let mut tempo = Tempo::start();
        for part in 0..book.parts() {
            if part > 0 {
                book.open_part(part);
                recorder.take(book.take_found()).await;
            }
            self.part(book, failures, recorder, &mut tempo).await?;
            tracing::debug!(flow = self.plan.flow.name, part, of = book.parts(), "part decided");
        }
        tempo.tell(&self.plan.flow.name);
        Ok(())
    }

    async fn part(
        &self,
        book: &mut FlowBook,
        failures: &mut Vec<Failure>,
        recorder: &mut Recorder<'_>,
        tempo: &mut Tempo,
    ) -> Result<(), SourceError> {
        for (place, tables) in self.consumers.iter().enumerate() {
            let Some(tables) = tables.as_ref().filter(|_| book.has(place)) else { continue };
            match self.consumer(place, tables, book, recorder, tempo).await {
                Ok(()) => {}
                Err(Side::Producer(error)) => return Err(error),
                Err(Side::Consumer(error)) => {
                    recorder.forget(&self.plan.flow.consumers[place].name);
                    lose(place, error, book, failures);
                }
            }
        }
        self.open_events(book, recorder, tempo).await
    }

    async fn consumer(
        &self,
        place: usize,
        tables: &ConsumerTables,
        book: &mut FlowBook,
        recorder: &mut Recorder<'_>,
        tempo: &mut Tempo,
    ) -> Result<(), Side> {
        let (of, mut done) = (book.suspects_count(place), 0);
        let indexed = self.producer.look_up_indexed() && tables.look_up_indexed();
        let mut suspects = Suspects::new(book, place, indexed);
        let mut under_way = UnderWay::new(indexed);
        loop {
            while under_way.has_room()
                && let Some(ids) = suspects.next(book)
            {
                let asked: Vec<_> = ids.iter().filter(|id| book.needs_event(place, id)).cloned().collect();
                let (producer, tables) = (self.producer.clone(), tables.clone());
                under_way.begin(async move {
                    let answers = both_sides(&producer, asked, &tables, &ids).await;
                    (ids, answers)
                });
            }
            let next = tempo.waits(under_way.next()).await;
            let Some(outcome) = next else { return Ok(()) };
            let (ids, answers) = outcome.map_err(Side::Producer)?;
            book.decide(place, &ids, answers?);
            tempo.records(recorder.take(book.take_found())).await;
            done += ids.len();
            self.tell(tempo, ids.len(), done, of);
        }
    }

    /// What the producer has not sent, looked up once more.
    async fn open_events(
        &self,
        book: &mut FlowBook,
        recorder: &mut Recorder<'_>,
        tempo: &mut Tempo,
    ) -> Result<(), SourceError> {
        let (ids, indexed) = (book.open_events(), self.producer.look_up_indexed());
        let (of, mut done) = (ids.len(), 0);
        let mut batches = ids.chunks(batch(indexed));
        let mut under_way = UnderWay::new(indexed);
        loop {
            while under_way.has_room()
                && let Some(ids) = batches.next()
            {
                let (producer, ids) = (self.producer.clone(), ids.to_vec());
                under_way.begin(async move {
                    let rows = producer.by_id(&ids).await;
                    (ids, rows)
                });
            }
            let next = tempo.waits(under_way.next()).await;
            let Some(outcome) = next else { return Ok(()) };
            let (ids, rows) = outcome?;
            book.decide_open(&ids, rows?);
            tempo.records(recorder.take(book.take_found())).await;
            done += ids.len();
            self.tell(tempo, ids.len(), done, of);
        }
    }

    fn tell(&self, tempo: &mut Tempo, more: usize, done: usize, of: usize) {
        tempo.done += more;
        let (flow, per_second) = (&self.plan.flow.name, tempo.per_second());
        (self.watch)(Step::Confirming { flow, done, of, per_second });
    }

    /// A consumer's answers; `None` where it fails, which leaves everything there as it was.
    pub(super) async fn answers(&self, tables: &ConsumerTables, ids: &[Id]) -> Option<Answers> {
        match tables.by_id(ids).await {
            Ok(answers) => Some(answers),
            Err(error) => {
                tracing::warn!(flow = self.plan.flow.name, "messages could not be looked up again: {error}");
                None
            }
        }
    }
}

fn batch(indexed: bool) -> usize {
    if indexed { BATCH } else { BATCH_UNINDEXED }
}

/// What both sides have of a batch; the producer is `asked` for those whose event is not known to the last row.
async fn both_sides(
    producer: &Producer,
    asked: Vec<Id>,
    tables: &ConsumerTables,
    ids: &[Id],
) -> Result<Answers, Side> {
    let (events, own) = tokio::join!(producer.by_id(&asked), tables.by_id(ids));
    Ok(Answers { events: events.map_err(Side::Producer)?, ..own.map_err(Side::Consumer)? })
}

/// How fast look-ups are, and what they wait for.
struct Tempo {
    stopwatch: Stopwatch,
    done: usize,
    /// For the sources, while nothing else was to be done.
    waited: Duration,
    /// For the ledger.
    recorded: Duration,
}

impl Tempo {
    fn start() -> Self {
        Self { stopwatch: Stopwatch::start(), done: 0, waited: Duration::ZERO, recorded: Duration::ZERO }
    }

    async fn waits<T>(&mut self, answer: impl Future<Output = T>) -> T {
        let begun = Stopwatch::start();
        let answer = answer.await;
        self.waited += begun.elapsed();
        answer
    }

    async fn records(&mut self, record: impl Future<Output = ()>) {
        let begun = Stopwatch::start();
        record.await;
        self.recorded += begun.elapsed();
    }

    fn per_second(&self) -> u64 {
        per_second(self.done, self.stopwatch.elapsed())
    }

    fn tell(&self, flow: &str) {
        if self.done > 0 {
            let (suspects, per_second) = (self.done, self.per_second());
            let (waited, recorded) = (self.waited.as_secs_f64(), self.recorded.as_secs_f64());
            tracing::info!(flow, suspects, per_second, waited, recorded, "suspects looked up");
        }
    }
}

/// Rounded down; the first second counts as a whole one.
pub(super) fn per_second(done: usize, took: Duration) -> u64 {
    let millis = took.as_millis().max(1_000);
    u64::try_from(done as u128 * 1_000 / millis).unwrap_or(u64::MAX)
}

/// A consumer's suspects, batch by batch in the order of their ids. They are listed in pieces, so that where there are
/// very many their ids are not all held twice.
struct Suspects {
    place: usize,
    batch: usize,
    bounds: Vec<Id>,
    /// Of the bounds, so many are behind.
    piece: usize,
    listed: VecDeque<Id>,
}

impl Suspects {
    fn new(book: &FlowBook, place: usize, indexed: bool) -> Self {
        let bounds = book.suspects_bounds(place, if indexed { PART } else { BATCH_UNINDEXED });
        Self { place, batch: batch(indexed), bounds, piece: 0, listed: VecDeque::new() }
    }

    fn next(&mut self, book: &FlowBook) -> Option<Vec<Id>> {
        while self.listed.is_empty() && self.piece <= self.bounds.len() {
            let from = self.piece.checked_sub(1).map(|before| &self.bounds[before]);
            self.listed = book.suspects_between(self.place, from, self.bounds.get(self.piece)).into();
            self.piece += 1;
        }
        let batch = self.batch.min(self.listed.len());
        (batch > 0).then(|| self.listed.drain(..batch).collect())
    }
}

/// Batches that are being looked up, each by a task of its own. Those that are not waited for end with this.
struct UnderWay<T> {
    batches: VecDeque<JoinHandle<(Vec<Id>, T)>>,
    max: usize,
}

impl<T: Send + 'static> UnderWay<T> {
    fn new(indexed: bool) -> Self {
        // Each reads a table to its end: one is enough for a server.
        Self { batches: VecDeque::new(), max: if indexed { AHEAD } else { 1 } }
    }

    fn has_room(&self) -> bool {
        self.batches.len() < self.max
    }

    fn begin<F>(&mut self, look_up: F)
    where
        F: Future<Output = (Vec<Id>, T)> + Send + 'static,
    {
        self.batches.push_back(tokio::spawn(look_up));
    }

    /// The batch that was begun first; `None` where none is under way.
    async fn next(&mut self) -> Option<Result<(Vec<Id>, T), SourceError>> {
        let outcome = self.batches.pop_front()?.await;
        // A task that cannot be joined has panicked: what it would have found is unknown.
        Some(outcome.map_err(|error| SourceError::broken("-", &error.to_string())))
    }
}

impl<T> Drop for UnderWay<T> {
    fn drop(&mut self) {
        self.batches.iter().for_each(JoinHandle::abort);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn batches_come_back_in_the_order_in_which_they_were_begun_whichever_ends_first() {
        let mut under_way = UnderWay::new(true);
        let mut ends = Vec::new();
        let mut begin = |under_way: &mut UnderWay<usize>, batch| {
            let (end, ended) = tokio::sync::oneshot::channel::<()>();
            ends.push(end);
            under_way.begin(async move { (vec![Id::from_integer(batch)], ended.await.map_or(0, |()| 1)) });
        };
        let count = (0..100).take_while(|batch| {
            let room = under_way.has_room();
            if room {
                begin(&mut under_way, *batch);
            }
            room
        });
        assert_eq!(count.count(), AHEAD);
        ends.into_iter().rev().for_each(|end| end.send(()).unwrap());
        for batch in 0..AHEAD {
            let (ids, ended) = under_way.next().await.unwrap().unwrap();
            assert_eq!((ids, ended), (vec![Id::from_integer(batch as i128)], 1));
            assert!(under_way.has_room());
        }
        assert!(under_way.next().await.is_none());
        assert_eq!(UnderWay::<()>::new(false).max, 1, "a table is read to its end by one batch at a time");
    }

    #[tokio::test]
    async fn batches_that_nobody_waits_for_end() {
        let (held, ended) = tokio::sync::oneshot::channel::<()>();
        let mut under_way = UnderWay::new(true);
        under_way.begin(async move {
            std::future::pending::<()>().await;
            (Vec::new(), drop(held))
        });
        drop(under_way);
        assert!(ended.await.is_err(), "its task is gone");
    }

    #[test]
    fn a_rate_is_of_whole_seconds() {
        assert_eq!(per_second(500, Duration::ZERO), 500);
        assert_eq!(per_second(3_000, Duration::from_millis(1_500)), 2_000);
        assert_eq!(per_second(0, Duration::from_secs(3)), 0);
    }
}
