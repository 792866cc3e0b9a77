//! One flow: open its tables, read, confirm, close the books.

use super::read::{Failure, Reading, Who};
use super::sources::{ConsumerTables, Databases, Producer, open_consumer, open_producer};
use super::{FlowResult, Watch};
use crate::book::FlowBook;
use crate::config::{Config, Flow, Table};
use crate::model::run::{ConsumerReport, FlowReport, Strategy};
use crate::model::{Difference, Kind, Outcome, Problem, Run, Verdict};
use crate::plan::{FlowPlan, FlowRules, Plan};
use crate::source::{ErrorKind, ReceiptTable, SourceError};
use std::collections::BTreeSet;

pub(super) async fn reconcile(
    flow: &FlowPlan,
    plan: &Plan,
    config: &Config,
    databases: &Databases,
    watch: Watch<'_>,
) -> FlowResult {
    match judged(flow, plan, config, databases, watch).await {
        Ok(result) => result,
        Err(error) => not_judged(&flow.flow, &error),
    }
}

async fn judged(
    flow: &FlowPlan,
    plan: &Plan,
    config: &Config,
    databases: &Databases,
    watch: Watch<'_>,
) -> Result<FlowResult, SourceError> {
    let mut rules = FlowRules::new(flow, plan.as_of);
    let producer = open_producer(flow, databases, &mut rules).await?;
    let (consumers, mut failures) = open_consumers(flow, databases, &mut rules).await;
    let mut notes = notes(&producer, &consumers);
    let mut book = FlowBook::new(rules, Run::LISTED_MAX);
    failures.iter().for_each(|failure| lost(failure, &mut book));
    tracing::debug!(flow = flow.flow.name, windows = flow.windows.len(), "tables opened, reading");
    let reading = Reading { plan: flow, producer: &producer, consumers: &consumers, watch };
    failures.extend(reading.run(&mut book).await?);
    book.close_reading();
    reading.confirm(&mut book, &mut failures).await?;
    let others = other_consumers(flow, config, &consumers, &book).await;
    let mut result = FlowResult::from(book.finish());
    tracing::info!(
        flow = flow.flow.name,
        outcome = result.report.outcome.name(),
        differences = result.differences_total,
        "judged"
    );
    notes.extend(retention_hints(flow, &consumers, &result.differences).await);
    result.misconfigured = failures.iter().any(|failure| failure.error.kind == ErrorKind::Configuration);
    result.problems.extend(failures.iter().map(|failure| problem(failure, &flow.flow)));
    result.report.hints.extend(notes);
    hide_late(flow, &mut result.report);
    for (consumer, others) in result.report.consumers.iter_mut().zip(others) {
        consumer.other_consumers = others;
    }
    Ok(result)
}

/// Without a column of ack times nothing can be told to be late, which is not the same as nothing being late.
fn hide_late(flow: &FlowPlan, report: &mut FlowReport) {
    if flow.flow.late_after.is_none() || flow.flow.events.acked_at.is_some() {
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
    flow: &FlowPlan,
    databases: &Databases,
    rules: &mut FlowRules,
) -> (Vec<Option<ConsumerTables>>, Vec<Failure>) {
    let (mut opened, mut failures) = (Vec::new(), Vec::new());
    for (place, consumer) in flow.flow.consumers.iter().enumerate() {
        match open_consumer(consumer, place, databases, rules).await {
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
        consumers.iter().flatten().flat_map(|tables| &tables.receipts).flat_map(ReceiptTable::notes);
    let dead = consumers.iter().flatten().filter_map(|tables| tables.dead_letters.as_ref());
    let all = events.chain(receipts).chain(dead.flat_map(|table| table.notes().iter()));
    let unique: BTreeSet<_> = all.cloned().collect();
    unique.into_iter().collect()
}

/// The producer could not be read: nothing of the flow is judged, and nothing of it is shown as 0.
fn not_judged(flow: &Flow, error: &SourceError) -> FlowResult {
    let consumer = |name: &String| ConsumerReport {
        name: name.clone(),
        outcome: Outcome::Incomplete,
        complete: false,
        strategy: Strategy::Stream,
        counts: None,
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    };
    FlowResult {
        report: FlowReport {
            name: flow.name.clone(),
            outcome: Outcome::Incomplete,
            complete: false,
            verdict: Verdict::Pass,
            events: None,
            backlog: None,
            windows: Vec::new(),
            acknowledged: Vec::new(),
            life: None,
            consumers: flow.consumers.iter().map(|of| consumer(&of.name)).collect(),
            breaches: Vec::new(),
            hints: Vec::new(),
        },
        differences: Vec::new(),
        differences_total: 0,
        problems: vec![Problem {
            source: flow.events.database.clone(),
            flow: Some(flow.name.clone()),
            message: format!("the events could not be read, so that nothing of the flow is judged: {error}"),
        }],
        misconfigured: error.kind == ErrorKind::Configuration,
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
            match table.other_consumers(flow.events, &known_names(config, &consumer.database, name)).await {
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
    flow: &FlowPlan,
    consumers: &[Option<ConsumerTables>],
    differences: &[Difference],
) -> Vec<String> {
    let mut hints = Vec::new();
    for (consumer, tables) in flow.flow.consumers.iter().zip(consumers) {
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
