//! What a scheduled run would do.

use super::{rules, thresholds};
use crate::cli::PlanArgs;
use crate::command::block_on;
use crate::config::Config;
use crate::ledger::{ErrorKind, Ledger, LedgerError};
use crate::listing::outlook::text;
use crate::model::window::label;
use crate::model::{Micros, Span, Window};
use crate::plan::{FlowPlan, Plan, choose, flow_plan};
use crate::reconcile::{Due, Outlook, outlook};
use crate::schedule::WINDOWS_MAX;

/// The plan of what is due, and its text. The ledger is read; one that is not there yet stays so.
pub(super) fn plan(config: &Config, args: &PlanArgs, as_of: Micros) -> anyhow::Result<(Plan, String)> {
    let zone = config.time_zone;
    let flows = choose(config, &args.selection.flows)?.into_iter().cloned().collect();
    let start = args.due.start.map(|edge| edge.instant(zone));
    let due = Due { flows, as_of, start, windows_max: args.due.max_windows.unwrap_or(WINDOWS_MAX) };
    let (is_there, outlooks) = block_on(outlooks(config, &due))??;
    let ledger = if is_there { "what the ledger says is due" } else { "there is no ledger yet: all is new" };
    let mut all = format!("as of    {as_of} ({zone})\n         {}\nrange    {ledger}\n", label(as_of, zone));
    let mut plans = Vec::new();
    for (flow, outlook) in due.flows.iter().zip(&outlooks) {
        all.push_str(&text(flow, outlook, due.windows_max, zone));
        all.push_str(&rules(flow, config));
        all.push_str(&thresholds(flow));
        let span = covered(&outlook.agenda.windows);
        plans.push(span.map_or_else(|| Ok(FlowPlan::unread(flow)), |span| flow_plan(flow, span, zone))?);
    }
    let spans = outlooks.iter().filter_map(|outlook| covered(&outlook.agenda.windows));
    let span = spans.reduce(|one, other| Span::new(one.from.min(other.from), one.until.max(other.until)));
    let span = span.unwrap_or(Span::new(as_of, as_of));
    Ok((Plan { as_of, span, time_zone: zone, flows: plans }, all))
}

fn covered(windows: &[Window]) -> Option<Span> {
    Some(Span::new(windows.first()?.0.from, windows.last()?.0.until))
}

/// Each flow's, and whether there is a ledger.
async fn outlooks(config: &Config, due: &Due) -> Result<(bool, Vec<Outlook>), LedgerError> {
    let mut ledger = match Ledger::open(&config.ledger.url, false).await {
        Ok(ledger) => Some(ledger),
        Err(error) if error.kind == ErrorKind::Absent => None,
        Err(error) => return Err(error),
    };
    let mut outlooks = Vec::new();
    for flow in &due.flows {
        outlooks.push(outlook(flow, due, ledger.as_mut(), config.time_zone).await?);
    }
    let is_there = ledger.is_some();
    if let Some(ledger) = ledger {
        ledger.close().await;
    }
    Ok((is_there, outlooks))
}
