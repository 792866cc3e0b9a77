//! The databases of a run and the opened tables of a flow.

use crate::book::Answers;
use crate::config::{Config, Consumer, Flow, Table};
use crate::model::{Event, Id, Micros};
use crate::plan::{FlowPlan, FlowRules};
use crate::source::{Database, DeadLetterTable, EventTable, Pause, ReceiptTable, SourceError};
use futures_util::future::{join_all, try_join_all};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// So many tables of one side are opened at the same time.
const OPENED_AT_ONCE: usize = 4;

/// Every database that the plan needs, connected or with the reason why not.
pub(super) struct Databases(BTreeMap<String, Result<Database, SourceError>>);

impl Databases {
    pub(super) async fn connect(flows: &[FlowPlan], config: &Config) -> Self {
        let names: BTreeSet<_> = flows.iter().flat_map(|flow| names(&flow.flow)).collect();
        let known = names.into_iter().filter_map(|name| Some((name, config.databases.get(name)?)));
        let pause = Pause::new(&config.pause);
        let connected = known
            .map(async |(name, database)| (name.to_owned(), Database::connect_under(database, &pause).await));
        Self(join_all(connected).await.into_iter().collect())
    }

    fn get(&self, name: &str) -> Result<&Database, SourceError> {
        match self.0.get(name) {
            Some(Ok(database)) => Ok(database),
            Some(Err(error)) => Err(error.clone()),
            None => Err(SourceError::unknown_database(name)),
        }
    }

    pub(super) async fn close(self) {
        join_all(self.0.into_values().flatten().map(Database::close)).await;
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
}

/// One consumer's side, opened. Cheap to clone.
#[derive(Clone)]
pub(super) struct ConsumerTables {
    pub(super) receipts: Vec<Arc<ReceiptTable>>,
    pub(super) dead_letters: Option<Arc<DeadLetterTable>>,
}

impl Producer {
    /// Refuses large tables that would be read from end to end, unless that is allowed.
    pub(super) async fn refuse_full_scans(&self, flow: &Flow, as_of: Micros) -> Result<(), SourceError> {
        let allowed = flow.events.allow_full_scan;
        each_of(&self.tables, async |table| table.refuse_full_scans(allowed, as_of).await).await?;
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
        let found = self.tables.iter().map(|table| table.by_id(ids));
        Ok(try_join_all(found).await?.into_iter().flatten().collect())
    }
}

impl ConsumerTables {
    /// The same.
    pub(super) async fn refuse_full_scans(&self, own: &Consumer, as_of: Micros) -> Result<(), SourceError> {
        let allowed = own.allow_full_scan;
        each_of(&self.receipts, async |table| table.refuse_full_scans(allowed, as_of).await).await?;
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
        let receipts = try_join_all(self.receipts.iter().map(|table| table.by_id(ids)));
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

/// Does something with each table, some at a time; what comes of it is in the order of the tables.
async fn each_of<'t, T, O>(
    tables: &'t [T],
    job: impl AsyncFn(&'t T) -> Result<O, SourceError>,
) -> Result<Vec<O>, SourceError> {
    let job = &job;
    let jobs = tables.iter().map(async |table| job(table).await);
    stream::iter(jobs).buffered(OPENED_AT_ONCE).try_collect().await
}

/// Opens the event tables and enters in the rules what they say of themselves.
pub(super) async fn open_producer(
    plan: &FlowPlan,
    databases: &Databases,
    rules: &mut FlowRules,
) -> Result<Producer, SourceError> {
    let (events, consumers) = (&plan.flow.events, &plan.flow.consumers);
    let database = databases.get(&events.database)?;
    rules.events_fresh_until = database.fresh_until().await?;
    let expects: Vec<_> = consumers.iter().map(|consumer| consumer.expects.clone()).collect();
    let (expects, as_of) = (expects.as_slice(), rules.as_of);
    let open = async |table: &Table| EventTable::open(database, table, events, expects, as_of).await;
    let tables: Vec<_> = each_of(&events.tables, open).await?.into_iter().map(Arc::new).collect();
    // Shards may hold one id twice even if each of them cannot.
    rules.event_ids_unique = matches!(tables.as_slice(), [table] if table.ids_unique());
    Ok(Producer { tables })
}

/// Opens a consumer's tables and enters in the rules what they say of themselves.
pub(super) async fn open_consumer(
    consumer: &Consumer,
    place: usize,
    databases: &Databases,
    rules: &mut FlowRules,
) -> Result<ConsumerTables, SourceError> {
    let (database, as_of) = (databases.get(&consumer.database)?, rules.as_of);
    let mut fresh = database.fresh_until().await?;
    let open = async |table: &Table| ReceiptTable::open(database, table, consumer, as_of).await;
    let receipts: Vec<_> = each_of(&consumer.tables, open).await?.into_iter().map(Arc::new).collect();
    let dead_letters = match &consumer.dead_letters {
        Some(dead) => {
            let database = databases.get(&dead.database)?;
            fresh = earlier(fresh, database.fresh_until().await?);
            Some(Arc::new(DeadLetterTable::open(database, dead, as_of).await?))
        }
        None => None,
    };
    let own = &mut rules.consumers[place];
    own.fresh_until = fresh;
    own.receipt_ids_unique = matches!(receipts.as_slice(), [table] if table.ids_unique());
    Ok(ConsumerTables { receipts, dead_letters })
}

fn earlier(one: Option<Micros>, other: Option<Micros>) -> Option<Micros> {
    [one, other].into_iter().flatten().min()
}
