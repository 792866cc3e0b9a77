//! One flow with its tables open: judge a slice of its windows, look messages up again.

use super::Watch;
use super::confirm::per_second;
use super::read::{Failure, Reading, UNDATED_ROWS_MAX, Who};
use super::record::Recorder;
use super::sources::{ConsumerTables, Databases, Producer, open_consumer, open_producer};
use super::way::{Way, tell};
use crate::book::{Checked, FlowBook, Slice};
use crate::config::{Config, Flow, Table};
use crate::model::event::Stamp;
use crate::model::run::{Backlog, FlowReport, Strategy};
use crate::model::time::DAY;
use crate::model::{Difference, Event, Id, Kind, Micros, Problem, Receipt, Span, Window};
use crate::plan::{FlowPlan, FlowRules, PAIRING_SHARE};
use crate::schedule::{aligned, settled_until};
use crate::source::{ErrorKind, EventTable, ReceiptTable, SourceError};
use futures_util::future::join_all;
use std::collections::BTreeSet;
use std::sync::OnceLock;
use std::time::Duration;

/// One flow with its tables open: what is the same for every slice of a run.
pub(super) struct Session<'a> {
    pub(super) flow: &'a Flow,
    pub(super) config: &'a Config,
    rules: FlowRules,
    producer: Producer,
    consumers: Vec<Option<ConsumerTables>>,
    failures: Vec<Failure>,
    notes: Vec<String>,
    pub(super) aside: Aside,
    /// What was given up for streaming, and why: what keeps one slice of the flow from it is there in the next.
    pub(super) given_up: OnceLock<(Strategy, String)>,
    watch: Watch<'a>,
    /// So many flows are read side by side.
    flows: usize,
}

/// What a flow's tables hold beside any range.
#[derive(Default)]
pub(super) struct Aside {
    /// What waits for the relay, whatever its window.
    pub(super) backlog: Backlog,
    /// Rows of the event table without a usable place.
    pub(super) undated: Vec<Event>,
    /// Of the backlog, those that are stuck in windows that are not due yet.
    pub(super) stuck_ahead: u64,
    /// Limits that were hit.
    pub(super) cut_short: Vec<String>,
    /// Receipts without a usable time, by consumer: each may be a message's second, or nobody's.
    pub(super) receipts: Vec<Vec<Receipt>>,
}

impl<'a> Session<'a> {
    /// Opens the flow's tables and reads what lies beside any range. A consumer that fails is kept as a failure; a
    /// producer that fails ends the flow.
    pub(super) async fn open(
        plan: &'a FlowPlan,
        as_of: Micros,
        config: &'a Config,
        databases: &Databases,
        watch: Watch<'a>,
    ) -> Result<Self, SourceError> {
        let memory = config.max_memory / PAIRING_SHARE / config.jobs.max(1) as u64;
        let mut rules = FlowRules { memory, ..FlowRules::new(plan, as_of) };
        let producer = async {
            let producer = open_producer(plan, databases, as_of).await?;
            producer.refuse_full_scans(&plan.flow, as_of).await?;
            Ok(producer)
        };
        let (producer, consumers) = tokio::join!(producer, open_consumers(&plan.flow, databases, as_of));
        let (producer, (consumers, failures)) = (producer?, consumers);
        producer.enter(&mut rules);
        for (own, tables) in rules.consumers.iter_mut().zip(&consumers) {
            tables.iter().for_each(|tables| tables.enter(own));
        }
        let notes = notes(&producer, &consumers);
        let mut session = Self {
            flow: &plan.flow,
            config,
            rules,
            producer,
            consumers,
            failures,
            notes,
            aside: Aside::default(),
            given_up: OnceLock::new(),
            watch,
            flows: databases.flows,
        };
        session.aside = session.read_aside().await?;
        Ok(session)
    }

    /// Whether some consumer's receipts may repeat, so that they are read up to now for every slice.
    pub(super) fn receipts_may_repeat(&self) -> bool {
        self.rules.consumers.iter().any(|consumer| !consumer.receipt_ids_unique)
    }

    fn reading<'s>(&'s self, plan: &'s FlowPlan) -> Reading<'s> {
        let Self { producer, consumers, flows, watch, .. } = self;
        Reading { plan, producer, consumers, flows: *flows, watch: *watch }
    }

    /// Judges a span of windows. Differences go to the recorder as they are confirmed. `first` says that what lies
    /// beside any range is told of here.
    pub(super) async fn judge(
        &self,
        plan: &FlowPlan,
        first: bool,
        recorder: &mut Recorder<'_>,
    ) -> Result<Slice, SourceError> {
        let (span, windows) = (plan.events, plan.windows.clone());
        let mut rules = FlowRules { span, windows, ..self.rules.clone() };
        tracing::debug!(flow = self.flow.name, windows = plan.windows.len(), "reading");
        let reading = self.reading(plan);
        let (way, hint) = self.way(&reading, &rules, first).await;
        let strategy = way.strategy();
        rules.late_after = rules.late_after.filter(|_| strategy != Strategy::Sketch);
        let (mut book, mut failures) = (self.books(rules, first), Vec::new());
        match way {
            Way::Stream => failures.extend(reading.run(&mut book, recorder).await?),
            Way::Packed(read) => book = *read,
            Way::Sketch(shown) => shown.enter(&mut book),
        }
        book.close_reading();
        recorder.take(book.take_found()).await;
        reading.confirm(&mut book, &mut failures, recorder).await?;
        let others = other_consumers(plan, self.config, &self.consumers, &book).await;
        recorder.take(book.take_found()).await;
        let mut slice = Slice { aside: first, ..Slice::new(span, book.finish()) };
        tracing::info!(flow = self.flow.name, outcome = slice.report.outcome.name(), differences = slice.differences, from = %span.from, until = %span.until, "judged");
        self.complete(&mut slice, &failures, others, recorder).await;
        slice.report.hints.extend(hint);
        tell(self.flow, strategy, &mut slice);
        Ok(slice)
    }

    /// Books in which nothing was read yet but what lies beside any range.
    pub(super) fn books(&self, rules: FlowRules, first: bool) -> FlowBook {
        let mut book = FlowBook::streamed(rules);
        self.failures.iter().for_each(|failure| lost(failure, &mut book));
        self.feed_aside(&mut book, first);
        book
    }

    /// What the books do not know: failures, remarks, strangers.
    async fn complete(
        &self,
        slice: &mut Slice,
        failures: &[Failure],
        others: Vec<Vec<(String, u64)>>,
        recorder: &Recorder<'_>,
    ) {
        let failures = || self.failures.iter().chain(failures);
        slice.misconfigured = failures().any(|failure| failure.error.kind == ErrorKind::Configuration);
        slice.problems.extend(failures().map(|failure| problem(failure, self.flow)));
        slice.report.hints.extend(self.notes.iter().cloned());
        slice.report.hints.extend(retention_hints(self.flow, &self.consumers, &recorder.listed).await);
        hide_late(self.flow, &mut slice.report);
        for (consumer, others) in slice.report.consumers.iter_mut().zip(others) {
            consumer.other_consumers = others;
        }
    }

    /// Why a consumer could not be read, if it could not.
    pub(super) fn failure_of(&self, consumer: &str) -> Option<String> {
        let place = self.flow.consumers.iter().position(|one| one.name == consumer)?;
        let failure = self.failures.iter().find(|failure| failure.who == Who::Consumer(place))?;
        Some(failure.error.to_string())
    }

    /// Tells the watch that so many open differences were looked up again.
    pub(super) fn looked_again(&self, done: usize, took: Duration) {
        let per_second = per_second(done, took);
        (self.watch)(super::Step::Confirming { flow: &self.flow.name, done, of: done, per_second });
    }

    fn feed_aside(&self, book: &mut FlowBook, first: bool) {
        if first {
            book.open_backlog();
            book.backlog(&self.aside.backlog);
            self.aside.cut_short.iter().for_each(|limit| book.cut_short(limit.clone()));
        }
        let told = |row: &&Event| first || row.created.at().is_some();
        self.aside.undated.iter().filter(told).for_each(|row| book.event(row));
        for (place, rows) in self.aside.receipts.iter().enumerate() {
            rows.iter().for_each(|row| book.receipt(place, row.clone()));
        }
    }

    /// The backlog, and rows that no range holds.
    async fn read_aside(&mut self) -> Result<Aside, SourceError> {
        let mut aside = Aside { receipts: vec![Vec::new(); self.consumers.len()], ..Aside::default() };
        (aside.backlog, aside.stuck_ahead) = self.backlog().await?;
        for undated in EventTable::undated_all(&self.producer.tables, UNDATED_ROWS_MAX).await? {
            if undated.len() >= UNDATED_ROWS_MAX {
                aside.cut_short.push(format!(
                    "the event table has {UNDATED_ROWS_MAX} rows or more without any usable time: only so many are counted; mend the rows or the `format` of the time columns"
                ));
            }
            aside.undated.extend(undated);
        }
        for (place, tables) in self.consumers.iter().enumerate() {
            let source = &self.flow.consumers[place].database;
            let Some(tables) = tables else { continue };
            let undated = ReceiptTable::undated_all(&tables.receipts, UNDATED_ROWS_MAX).await;
            let few =
                |rows: Option<_>| rows.ok_or_else(|| SourceError::too_many_rows(source, UNDATED_ROWS_MAX));
            match undated.and_then(few) {
                Ok(rows) => aside.receipts[place] = rows,
                Err(error) => self.failures.push(Failure { who: Who::Consumer(place), error }),
            }
        }
        Ok(aside)
    }

    /// The backlog, and how many of it are stuck in windows that are not due yet.
    async fn backlog(&self) -> Result<(Backlog, u64), SourceError> {
        let (mut backlog, mut ahead, as_of) = (Backlog::default(), 0, self.rules.as_of);
        let due = aligned(self.flow, self.config.time_zone, settled_until(self.flow, as_of));
        let visible = self.rules.events_fresh_until.map_or(as_of, |fresh| fresh.min(as_of));
        let stuck = |at: Micros| at >= due && visible.since(at) >= self.flow.stuck_after;
        let add = &mut |created: Stamp| {
            backlog.add(created.at(), as_of);
            ahead += u64::from(created.at().is_some_and(stuck));
        };
        EventTable::backlog_all(&self.producer.tables, add).await?;
        Ok((backlog, ahead))
    }

    /// Looks messages up again that differed before, on both sides and at every consumer.
    pub(super) async fn check(&self, ids: &[Id]) -> Result<Checked, SourceError> {
        let all = Window(Span::new(Micros(0), self.rules.as_of.plus(DAY)));
        let rules = FlowRules { span: all.0, windows: vec![all], ..self.rules.clone() };
        let plan = FlowPlan { flow: self.flow.clone(), windows: vec![all], events: all.0, receipts: all.0 };
        let reading = self.reading(&plan);
        let failed = |place: usize| self.failures.iter().any(|failure| failure.who == Who::Consumer(place));
        let at_consumers = self.consumers.iter().enumerate().map(async |(place, tables)| {
            match tables.as_ref().filter(|_| !failed(place)) {
                Some(tables) => reading.answers(tables, ids).await,
                None => None,
            }
        });
        let (events, answers) = tokio::join!(self.producer.by_id(ids), join_all(at_consumers));
        let events = events?;
        Ok(FlowBook::streamed(rules).check(ids, events, answers))
    }
}

/// Without a column of ack times nothing can be told to be late, which is not the same as nothing being late.
fn hide_late(flow: &Flow, report: &mut FlowReport) {
    if flow.late_after.is_none() || flow.events.acked_at.is_some() {
        return;
    }
    for consumer in &mut report.consumers {
        if consumer.counts.is_some() && !consumer.not_decidable.contains(&Kind::Late) {
            consumer.not_decidable.push(Kind::Late);
        }
    }
}

fn lost(failure: &Failure, book: &mut FlowBook) {
    if let Who::Consumer(place) = failure.who {
        book.lose(place);
    }
}

async fn open_consumers(
    flow: &Flow,
    databases: &Databases,
    as_of: Micros,
) -> (Vec<Option<ConsumerTables>>, Vec<Failure>) {
    let consumers = flow.consumers.iter().map(async |consumer| {
        let tables = open_consumer(consumer, databases, as_of).await?;
        tables.refuse_full_scans(consumer, as_of).await?;
        Ok(tables)
    });
    let (mut opened, mut failures) = (Vec::new(), Vec::new());
    for (place, tables) in join_all(consumers).await.into_iter().enumerate() {
        match tables {
            Ok(tables) => opened.push(Some(tables)),
            Err(error) => {
                opened.push(None);
                failures.push(Failure { who: Who::Consumer(place), error });
            }
        }
    }
    (opened, failures)
}

/// What the tables say of themselves that a person should know.
fn notes(producer: &Producer, consumers: &[Option<ConsumerTables>]) -> Vec<String> {
    let events = producer.tables.iter().flat_map(|table| table.notes().iter());
    let receipts =
        consumers.iter().flatten().flat_map(|tables| &tables.receipts).flat_map(|table| table.notes());
    let dead = consumers.iter().flatten().filter_map(|tables| tables.dead_letters.as_ref());
    let all = events.chain(receipts).chain(dead.flat_map(|table| table.notes().iter()));
    let unique: BTreeSet<_> = all.cloned().collect();
    unique.into_iter().collect()
}

/// The producer could not be read: nothing of the flow is judged, and nothing of it is shown as 0.
pub(super) fn not_judged(flow: &Flow, span: Span, error: &SourceError) -> Slice {
    let names: Vec<_> = flow.consumers.iter().map(|consumer| consumer.name.clone()).collect();
    let problem = Problem {
        source: flow.events.database.clone(),
        flow: Some(flow.name.clone()),
        message: format!("the events could not be read, so that nothing of the flow is judged: {error}"),
    };
    Slice {
        problems: vec![problem],
        misconfigured: error.kind == ErrorKind::Configuration,
        ..Slice::unread(&flow.name, &names, span)
    }
}

fn problem(failure: &Failure, flow: &Flow) -> Problem {
    let (source, what) = match failure.who {
        Who::Producer => (&flow.events.database, "the events could not be read".to_owned()),
        Who::Consumer(place) => {
            let consumer = &flow.consumers[place];
            (&consumer.database, format!("consumer `{}` could not be read and is not judged", consumer.name))
        }
    };
    Problem {
        source: source.clone(),
        flow: Some(flow.name.clone()),
        message: format!("{what}: {}", failure.error),
    }
}

/// Names in the dedup tables that no flow configures, each table asked once and told at its first consumer.
async fn other_consumers(
    flow: &FlowPlan,
    config: &Config,
    consumers: &[Option<ConsumerTables>],
    book: &FlowBook,
) -> Vec<Vec<(String, u64)>> {
    let mut asked: BTreeSet<(&str, &Table)> = BTreeSet::new();
    let mut others = vec![Vec::new(); consumers.len()];
    for (place, tables) in consumers.iter().enumerate() {
        let consumer = &flow.flow.consumers[place];
        let Some(tables) = tables.as_ref().filter(|_| consumer.consumer_column.is_some() && book.has(place))
        else {
            continue;
        };
        for (name, table) in consumer.tables.iter().zip(&tables.receipts) {
            if !asked.insert((&consumer.database, name)) {
                continue;
            }
            let (known, thorough) =
                (known_names(config, &consumer.database, name), book.is_small_or_lacking(place));
            match table.other_consumers(flow.events, &known, thorough).await {
                Ok(found) => others[place].extend(found),
                // Only a remark: what was judged stands.
                Err(error) => tracing::warn!("names of other consumers could not be asked for: {error}"),
            }
        }
    }
    others
}

/// All names under which consumers of any flow write to this table.
fn known_names(config: &Config, database: &str, table: &Table) -> Vec<String> {
    let consumers = config.flows.iter().flat_map(|flow| &flow.consumers);
    let here = consumers.filter(|consumer| consumer.database == database && consumer.tables.contains(table));
    here.flat_map(|consumer| std::iter::once(&consumer.name).chain(&consumer.aliases)).cloned().collect()
}

/// Without a declared retention, what is missing from before the oldest receipt is a reason to doubt it.
async fn retention_hints(
    flow: &Flow,
    consumers: &[Option<ConsumerTables>],
    differences: &[Difference],
) -> Vec<String> {
    let mut hints = Vec::new();
    for (consumer, tables) in flow.consumers.iter().zip(consumers) {
        let Some(tables) = tables.as_ref().filter(|_| consumer.retention.is_none()) else { continue };
        let missing = differences.iter().filter(|difference| {
            difference.kind == Kind::Missing && difference.consumer.as_ref() == Some(&consumer.name)
        });
        let Some(first) = missing.filter_map(|difference| difference.acked_at).min() else { continue };
        for table in &tables.receipts {
            // Only a hint: where the oldest receipt cannot be told cheaply, nothing is said.
            if let Ok(Some(oldest)) = table.oldest().await
                && oldest > first
            {
                hints.push(format!(
                    "`{}`: messages acked before the oldest receipt ({oldest}) are missing: if older receipts were purged, set `retention`, and they are unverifiable instead",
                    consumer.name
                ));
            }
        }
    }
    hints
}
