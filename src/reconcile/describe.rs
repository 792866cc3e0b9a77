//! What a run would ask of its sources, for `plan --sql`.

use super::sources::{ConsumerTables, Databases, Producer, open_consumer, open_producer};
use crate::config::{Config, Wanted};
use crate::plan::{FlowPlan, Plan};
use crate::sketch::BUCKETS_MIN;

/// One statement, remark, or reason why there is none.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Described {
    /// Whose it is and what it asks.
    pub title: String,
    /// SQL, or the reason.
    pub text: String,
    /// Whether this source could not be looked at.
    pub failed: bool,
}

/// Connects, looks at the tables' columns and indexes, and gives the statements of a run. No message is judged; of time columns a few values are looked at.
pub async fn statements(plan: &Plan, config: &Config) -> Vec<Described> {
    let databases = Databases::connect(&plan.flows, config).await;
    let mut all = Vec::new();
    for flow in &plan.flows {
        all.extend(of_flow(flow, plan, config, &databases).await);
    }
    databases.close().await;
    all
}

async fn of_flow(flow: &FlowPlan, plan: &Plan, config: &Config, databases: &Databases) -> Vec<Described> {
    let name = &flow.flow.name;
    let wanted = config.wanted(&flow.flow);
    let mut all = match open_producer(flow, databases, plan.as_of).await {
        Ok(producer) => {
            let mut all = of_producer(&producer, flow, wanted);
            let refused = producer.refuse_full_scans(&flow.flow, plan.as_of).await.err();
            all.extend(refused.map(|error| refusal(format!("flow `{name}`, events"), &error)));
            all
        }
        Err(error) => vec![failed(format!("flow `{name}`, events"), &error)],
    };
    for consumer in &flow.flow.consumers {
        let title = format!("flow `{name}`, consumer `{}`", consumer.name);
        match open_consumer(consumer, databases, plan.as_of).await {
            Ok(tables) => {
                all.extend(of_consumer(&tables, flow, &title, wanted));
                let refused = tables.refuse_full_scans(consumer, plan.as_of).await.err();
                all.extend(refused.map(|error| refusal(title, &error)));
            }
            Err(error) => all.push(failed(title, &error)),
        }
    }
    all
}

fn of_producer(producer: &Producer, flow: &FlowPlan, wanted: Wanted) -> Vec<Described> {
    let title = format!("flow `{}`, events", flow.flow.name);
    let statements = producer.tables.iter().flat_map(|table| table.statements(flow.events));
    let more = producer.tables.iter().flat_map(|table| match wanted {
        Wanted::Sketch if table.sketch_obstacle().is_none() => {
            table.sketch_statements(&flow.windows, flow.events, BUCKETS_MIN)
        }
        Wanted::Packed if table.packed_obstacle().is_none() => table.packed_statements(flow.events),
        _ => Vec::new(),
    });
    let notes = producer.tables.iter().flat_map(|table| table.notes().iter().cloned());
    described(&title, statements.chain(more), notes)
}

fn of_consumer(tables: &ConsumerTables, flow: &FlowPlan, title: &str, wanted: Wanted) -> Vec<Described> {
    let receipts = tables.receipts.iter().flat_map(|table| table.statements(flow.receipts));
    let dead = tables.dead_letters.iter().flat_map(|table| table.statements(flow.receipts));
    let more = tables.receipts.iter().flat_map(|table| match wanted {
        Wanted::Sketch if table.sketch_obstacle().is_none() => {
            table.sketch_statements(flow.events, BUCKETS_MIN)
        }
        Wanted::Packed if table.packed_obstacle().is_none() => table.packed_statements(flow.receipts),
        _ => Vec::new(),
    });
    let notes = tables.receipts.iter().flat_map(|table| table.notes().iter().cloned());
    let dead_notes = tables.dead_letters.iter().flat_map(|table| table.notes().iter().cloned());
    described(title, receipts.chain(more).chain(dead), notes.chain(dead_notes))
}

fn described(
    title: &str,
    statements: impl Iterator<Item = (String, String)>,
    notes: impl Iterator<Item = String>,
) -> Vec<Described> {
    let statement = |(name, text)| Described { title: format!("{title}: {name}"), text, failed: false };
    let note = |note: String| Described {
        title: format!("{title}: note"),
        text: format!("-- {note}"),
        failed: false,
    };
    statements.map(statement).chain(notes.map(note)).collect()
}

fn refusal(title: String, error: &crate::source::SourceError) -> Described {
    Described { title, text: format!("-- will be refused: {error}"), failed: true }
}

fn failed(title: String, error: &crate::source::SourceError) -> Described {
    Described { title, text: format!("-- could not be looked at: {error}"), failed: true }
}
