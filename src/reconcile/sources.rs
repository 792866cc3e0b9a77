//! The databases of a run and the opened tables of a flow.

use crate::book::Answers;
use crate::config::{Config, Consumer, Flow};
use crate::model::{Event, Id, Micros};
use crate::plan::{ConsumerRules, FlowPlan, FlowRules};
use crate::source::{Database, DeadLetterTable, EventTable, Pause, ReceiptTable, SourceError};
use futures_util::future::{join_all, try_join_all};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// Every database that the plan needs, connected or with the reason why not.
pub(super) struct Databases {
    of: BTreeMap<String, Result<Database, SourceError>>,
    /// So many flows are read side by side.
    pub(super) flows: usize,
}

impl Databases {
    pub(super) async fn connect(flows: &[FlowPlan], config: &Config) -> Self {
        let names: BTreeSet<_> = flows.iter().flat_map(|flow| names(&flow.flow)).collect();
        let known = names.into_iter().filter_map(|name| Some((name, config.databases.get(name)?)));
        let pause = Pause::new(&config.pause);
        let connected = known
            .map(async |(name, database)| (name.to_owned(), Database::connect_under(database, &pause).await));
        let of = join_all(connected).await.into_iter().collect();
        Self { of, flows: config.jobs.min(flows.len()) }
    }

    fn get(&self, name: &str) -> Result<&Database, SourceError> {
        match self.of.get(name) {
            Some(Ok(database)) => Ok(database),
            Some(Err(error)) => Err(error.clone()),
            None => Err(SourceError::unknown_database(name)),
        }
    }

    pub(super) async fn close(self) {
        join_all(self.of.into_values().flatten().map(Database::close)).await;
    }
}

fn names(flow: &Flow) -> impl Iterator<Item = &str> {
    let consumers = flow.consumers.iter().flat_map(|consumer| {
        let dead = consumer.dead_letters.as_ref().map(|dead| dead.database.as_str());
        std::iter::once(consumer.database.as_str()).chain(dead)
    });
    std::iter::once(flow.events.database.as_str()).chain(consumers)
}

/// The producer's side of a flow, opened. Cheap to clone.
#[derive(Clone)]
pub(super) struct Producer {
    pub(super) tables: Vec<Arc<EventTable>>,
    /// How far its data reach.
    fresh_until: Option<Micros>,
}

/// One consumer's side, opened. Cheap to clone.
#[derive(Clone)]
pub(super) struct ConsumerTables {
    pub(super) receipts: Vec<Arc<ReceiptTable>>,
    pub(super) dead_letters: Option<Arc<DeadLetterTable>>,
    /// How far its data reach.
    fresh_until: Option<Micros>,
}

impl Producer {
    /// Enters in the rules what the tables say of themselves.
    pub(super) fn enter(&self, rules: &mut FlowRules) {
        rules.events_fresh_until = self.fresh_until;
        // Shards may hold one id twice even if each of them cannot.
        rules.event_ids_unique = matches!(self.tables.as_slice(), [table] if table.ids_unique());
    }

    fn at_once(&self) -> usize {
        self.tables.first().map_or(1, |table| table.database().tables_at_once())
    }

    /// Refuses large tables that would be read from end to end, unless that is allowed.
    pub(super) async fn refuse_full_scans(&self, flow: &Flow, as_of: Micros) -> Result<(), SourceError> {
        let allowed = flow.events.allow_full_scan;
        if allowed || EventTable::are_small(&self.tables).await {
            return Ok(());
        }
        let asked = self.tables.iter().map(|table| table.refuse_full_scans(allowed, as_of)).collect();
        some_at_once(asked, self.at_once()).await?;
        Ok(())
    }

    /// Whether look-ups by id are fast in all tables.
    pub(super) fn look_up_indexed(&self) -> bool {
        self.tables.iter().all(|table| table.look_up_indexed())
    }

    /// All rows with these ids, whatever their time.
    pub(super) async fn by_id(&self, ids: &[Id]) -> Result<Vec<Event>, SourceError> {
        if ids.is_empty() {
            return Ok(Vec::new());
        }
        let found: Vec<_> = self.tables.iter().map(|table| table.by_id(ids)).collect();
        Ok(some_at_once(found, self.at_once()).await?.into_iter().flatten().collect())
    }
}

impl ConsumerTables {
    /// Enters in the rules what the tables say of themselves.
    pub(super) fn enter(&self, rules: &mut ConsumerRules) {
        rules.fresh_until = self.fresh_until;
        rules.receipt_ids_unique = matches!(self.receipts.as_slice(), [table] if table.ids_unique());
    }

    fn at_once(&self) -> usize {
        self.receipts.first().map_or(1, |table| table.database().tables_at_once())
    }

    /// As [`Producer::refuse_full_scans`].
    pub(super) async fn refuse_full_scans(&self, own: &Consumer, as_of: Micros) -> Result<(), SourceError> {
        let allowed = own.allow_full_scan;
        if !allowed && !ReceiptTable::are_small(&self.receipts).await {
            let asked = self.receipts.iter().map(|table| table.refuse_full_scans(allowed, as_of)).collect();
            some_at_once(asked, self.at_once()).await?;
        }
        match (&self.dead_letters, &own.dead_letters) {
            (Some(table), Some(own)) => table.refuse_full_scans(own.allow_full_scan, as_of).await,
            _ => Ok(()),
        }
    }

    /// Whether look-ups by id are fast in all tables of receipts.
    pub(super) fn look_up_indexed(&self) -> bool {
        self.receipts.iter().all(|table| table.look_up_indexed())
    }

    /// Everything that the consumer has of these ids, whenever it was.
    pub(super) async fn by_id(&self, ids: &[Id]) -> Result<Answers, SourceError> {
        let receipts: Vec<_> = self.receipts.iter().map(|table| table.by_id(ids)).collect();
        let receipts = some_at_once(receipts, self.at_once());
        let letters = try_join_all(self.dead_letters.iter().map(|table| table.by_id(ids)));
        let (receipts, letters) = tokio::try_join!(receipts, letters)?;
        let (receipts, dead_letters) = (receipts.into_iter().flatten(), letters.into_iter().flatten());
        Ok(Answers {
            receipts: receipts.collect(),
            dead_letters: dead_letters.collect(),
            ..Answers::default()
        })
    }
}

/// Does jobs, so many at a time; what comes of them is in their order.
pub(super) async fn some_at_once<O>(
    jobs: Vec<impl Future<Output = Result<O, SourceError>>>,
    at_once: usize,
) -> Result<Vec<O>, SourceError> {
    stream::iter(jobs).buffered(at_once).try_collect().await
}

/// Opens the event tables; what they say of themselves is entered in the rules by [`Producer::enter`].
pub(super) async fn open_producer(
    plan: &FlowPlan,
    databases: &Databases,
    as_of: Micros,
) -> Result<Producer, SourceError> {
    let (events, consumers) = (&plan.flow.events, &plan.flow.consumers);
    let database = databases.get(&events.database)?;
    let fresh_until = database.fresh_until().await?;
    let expects: Vec<_> = consumers.iter().map(|consumer| consumer.expects.clone()).collect();
    let tables = EventTable::open_all(database, &events.tables, events, &expects, as_of).await?;
    Ok(Producer { tables: tables.into_iter().map(Arc::new).collect(), fresh_until })
}

/// Opens a consumer's tables; what they say of themselves is entered in the rules by [`ConsumerTables::enter`].
pub(super) async fn open_consumer(
    consumer: &Consumer,
    databases: &Databases,
    as_of: Micros,
) -> Result<ConsumerTables, SourceError> {
    let database = databases.get(&consumer.database)?;
    let mut fresh_until = database.fresh_until().await?;
    let receipts = ReceiptTable::open_all(database, &consumer.tables, consumer, as_of).await?;
    let dead_letters = match &consumer.dead_letters {
        Some(dead) => {
            let database = databases.get(&dead.database)?;
            fresh_until = earlier(fresh_until, database.fresh_until().await?);
            Some(Arc::new(DeadLetterTable::open(database, dead, as_of).await?))
        }
        None => None,
    };
    let receipts = receipts.into_iter().map(Arc::new).collect();
    Ok(ConsumerTables { receipts, dead_letters, fresh_until })
}

fn earlier(one: Option<Micros>, other: Option<Micros>) -> Option<Micros> {
    [one, other].into_iter().flatten().min()
}
