//! `msgrecon status`: how far each flow is judged, and what is open.

use super::history::truthful;
use super::keeper::read;
use super::{block_on, load_config, options, print};
use crate::cli::{Global, StatusArgs};
use crate::clock;
use crate::config::{Config, Flow};
use crate::exit;
use crate::ledger::Ledger;
use crate::listing::status::{FlowStatus, json, overdue, text};
use crate::model::{AlertState, Micros};
use crate::plan::choose;
use crate::reconcile::{Undone, undone};
use crate::report::Format;
use crate::schedule::{next_due, settled_until};
use std::collections::BTreeSet;

pub(super) fn status(global: &Global, args: &StatusArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let as_of = args.as_of.unwrap_or_else(clock::now);
    let flows = match block_on(read(&config, async |ledger| flows(ledger, &config, args, as_of).await))? {
        Ok(flows) => flows,
        Err(error) if error.is::<crate::ledger::LedgerError>() => {
            // To a probe a ledger that is not there yet is one that cannot be read.
            super::complain(global, &error);
            return Ok(exit::INCOMPLETE);
        }
        Err(error) => return Err(error),
    };
    let mut bytes = Vec::new();
    match args.format {
        Format::Json => json(&mut bytes, &flows, as_of)?,
        _ => text(&mut bytes, &flows, as_of, config.time_zone, options(false))?,
    }
    print(&bytes)?;
    Ok(if flows.iter().any(|flow| flow.overdue.is_some()) { exit::DIFFERENCES } else { exit::OK })
}

/// The flows of the configuration in its order, then those that only the ledger knows.
async fn flows(
    ledger: &mut Ledger,
    config: &Config,
    args: &StatusArgs,
    as_of: Micros,
) -> anyhow::Result<Vec<FlowStatus>> {
    let known = known(ledger).await?;
    let (strange, named): (Vec<_>, Vec<_>) = args
        .flows
        .iter()
        .cloned()
        .partition(|name| known.contains(name) && !config.flows.iter().any(|flow| flow.name == *name));
    let all = args.flows.is_empty();
    let configured = if all || !named.is_empty() { choose(config, &named)? } else { Vec::new() };
    let configured_names: BTreeSet<_> = config.flows.iter().map(|flow| flow.name.as_str()).collect();
    let strange = if all {
        known.into_iter().filter(|name| !configured_names.contains(name.as_str())).collect()
    } else {
        strange
    };
    let mut flows = Vec::new();
    for flow in configured {
        let mut status = remembered(ledger, &flow.name, as_of).await?;
        look(ledger, config, flow, &mut status, as_of).await?;
        status.overdue = overdue(flow, status.begun, &status.undone, as_of, args.overdue);
        flows.push(status);
    }
    for name in strange {
        flows.push(remembered(ledger, &name, as_of).await?);
    }
    Ok(flows)
}

/// Every flow that the ledger has anything of: each was held by a run.
async fn known(ledger: &mut Ledger) -> anyhow::Result<BTreeSet<String>> {
    Ok(ledger.holders().await?.into_iter().map(|(flow, _)| flow).collect())
}

/// What the ledger knows of a flow, whatever the configuration says.
async fn remembered(ledger: &mut Ledger, name: &str, as_of: Micros) -> anyhow::Result<FlowStatus> {
    let last = ledger.runs(Some(name), 1).await?;
    let holders = ledger.holders().await?;
    let mut alerts = ledger.alerts(name).await?;
    alerts.retain(|alert| alert.state != AlertState::Cleared);
    Ok(FlowStatus {
        alerts,
        undelivered: ledger.waiting(name).await?.len() as u64,
        name: name.to_owned(),
        configured: false,
        begun: ledger.begun(name).await?,
        undone: Undone::default(),
        next_due: None,
        ages: ledger.ages(as_of).await?.remove(name).unwrap_or_default(),
        last_run: truthful(ledger, last).await?.pop(),
        at_work: holders.into_iter().find(|(flow, _)| flow == name).and_then(|(_, holder)| holder),
        overdue: None,
    })
}

/// What the configuration adds: which windows there are.
async fn look(
    ledger: &mut Ledger,
    config: &Config,
    flow: &Flow,
    status: &mut FlowStatus,
    as_of: Micros,
) -> anyhow::Result<()> {
    let zone = config.time_zone;
    status.configured = true;
    let settled = settled_until(flow, as_of);
    if let Some(begun) = status.begun {
        status.undone = undone(flow, begun.watermark, as_of, ledger, zone).await?;
        status.next_due = Some(next_due(flow, zone, settled.max(begun.watermark)));
    }
    Ok(())
}
