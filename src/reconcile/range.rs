//! A range that somebody asks for: every flow in one slice, with a ledger or without.

use super::lanes::side_by_side;
use super::outcome::{FlowOutcome, Head, assemble};
use super::record::{Recorder, Writer};
use super::session::{Session, not_judged};
use super::sources::Databases;
use super::{Keeping, Reconciled, Watch, graver, look_again};
use crate::book::{Slice, merge};
use crate::config::{Config, Flow};
use crate::ledger::{Entry, JudgedWindow, LedgerError, Since, Within};
use crate::model::life::LastRun;
use crate::model::window::holding;
use crate::model::{Micros, Run, Span, Window};
use crate::plan::{FlowPlan, Plan};
use crate::schedule::settled_until;
use crate::source::SourceError;

/// Carries out a plan. Sources that fail are named in the result and never shown as empty; the other flows go on.
pub async fn reconcile(plan: &Plan, config: &Config, run_id: String, watch: Watch<'_>) -> Run {
    let databases = Databases::connect(&plan.flows, config).await;
    let job = async |flow: &FlowPlan| {
        let mut recorder = Recorder::without_ledger();
        let slice = judged(flow, plan.as_of, config, &databases, &mut recorder, watch).await;
        let merged = merge(&flow.flow.name, &names(&flow.flow), slice.report.backlog, &[slice]);
        FlowOutcome::new(merged, sorted(recorder)).judged(&flow.flow, plan.as_of)
    };
    let outcomes = side_by_side(&plan.flows, config.jobs, watch, job).await;
    databases.close().await;
    assemble(head(plan, run_id), outcomes)
}

/// The same, and the ledger learns of it: differences, windows that were judged whole, what healed in the range.
pub async fn reconcile_range(
    plan: &Plan,
    config: &Config,
    keeping: Keeping<'_>,
    watch: Watch<'_>,
) -> Reconciled {
    let databases = Databases::connect(&plan.flows, config).await;
    let (mut outcomes, mut unrecorded) = (Vec::new(), None);
    let job = async |flow| flow_range(flow, plan, config, &databases, keeping, watch).await;
    for (outcome, away) in side_by_side(&plan.flows, config.jobs, watch, job).await {
        unrecorded = graver(unrecorded, away);
        outcomes.push(outcome);
    }
    databases.close().await;
    Reconciled { run: assemble(head(plan, keeping.lease.run().to_owned()), outcomes), unrecorded }
}

async fn known(
    flow: &FlowPlan,
    as_of: Micros,
    keeping: Keeping<'_>,
) -> Result<(Since, Option<LastRun>), LedgerError> {
    let name = &flow.flow.name;
    let mut ledger = keeping.ledger.lock().await;
    let last = ledger.last_run(name, as_of).await?;
    let again = ledger.ran_at(name, as_of).await?;
    let mut since = Since::new(as_of, last.as_ref(), again);
    let windows = ledger.windows(name, around(flow.events, &flow.flow, keeping.zone)).await?;
    since.first_judged = windows.iter().map(|window| (window.span.from, window.first_as_of)).collect();
    Ok((since, last))
}

/// The span from the begin of the whole window in which a span begins.
fn around(span: Span, flow: &Flow, zone: chrono_tz::Tz) -> Span {
    Span::new(holding(span.from, flow.window, zone).0.from, span.until)
}

async fn flow_range(
    flow: &FlowPlan,
    plan: &Plan,
    config: &Config,
    databases: &Databases,
    keeping: Keeping<'_>,
    watch: Watch<'_>,
) -> (FlowOutcome, Option<LedgerError>) {
    let name = &flow.flow.name;
    let (unknown, (since, last)) = match known(flow, plan.as_of, keeping).await {
        Ok(known) => (None, known),
        Err(error) => (Some(error), (Since::new(plan.as_of, None, false), None)),
    };
    let mut recorder = Recorder::new(keeping.writer(&flow.flow, since));
    let slice = match Session::open(flow, plan.as_of, config, databases, watch).await {
        Ok(session) => {
            let slice = checked(session.judge(flow, true, &mut recorder).await, flow, &mut recorder);
            record_windows(flow, plan.as_of, &slice, &mut recorder).await;
            let span = around(flow.events, &flow.flow, plan.time_zone);
            look_again(&session, Some(span), &mut recorder).await;
            slice
        }
        Err(error) => not_judged(&flow.flow, flow.events, &error),
    };
    let merged = merge(name, &names(&flow.flow), slice.report.backlog, &[slice]);
    let before = last.as_ref().map(|last| last.as_of);
    if recorder.is_cut() && merged.report.events.is_some() {
        list_range(flow.events, plan.as_of, before, &mut recorder).await;
    }
    let life = recorder.life(before, &Within::Range(flow.events)).await;
    let away = unknown.or_else(|| recorder.away().cloned());
    let outcome = FlowOutcome::new(merged, sorted(recorder)).alive(life, last).judged(&flow.flow, plan.as_of);
    (outcome, away)
}

/// Lists from the ledger what this run has found in its range. A range may begin in the middle of a window.
async fn list_range(span: Span, as_of: Micros, last: Option<Micros>, recorder: &mut Recorder<'_>) {
    let found = |entry: &Entry| entry.last_seen == as_of && entry.home_at.is_some_and(|at| span.contains(at));
    recorder.list(last, found).await;
    for one in &mut recorder.listed {
        one.window_from = one.window_from.map(|from| from.max(span.from));
    }
}

/// Windows that are whole, settled and judged to their end; the others wait for a run that finds them so.
async fn record_windows(flow: &FlowPlan, as_of: Micros, slice: &Slice, recorder: &mut Recorder<'_>) {
    let Some(writer) = recorder.writer() else { return };
    let settled = settled_until(&flow.flow, as_of);
    let whole = |window: &Window| {
        window.0.until <= settled && holding(window.0.from, flow.flow.window, writer.zone) == *window
    };
    let windows: Vec<_> = judged_windows(slice).into_iter().filter(|one| whole(&one.window)).collect();
    let mut ledger = writer.ledger.lock().await;
    let outcome = ledger.put_range(writer.lease, &flow.flow.name, as_of, &windows).await;
    drop(ledger);
    recorder.note(outcome);
}

async fn judged(
    flow: &FlowPlan,
    as_of: Micros,
    config: &Config,
    databases: &Databases,
    recorder: &mut Recorder<'_>,
    watch: Watch<'_>,
) -> Slice {
    match Session::open(flow, as_of, config, databases, watch).await {
        Ok(session) => checked(session.judge(flow, true, recorder).await, flow, recorder),
        Err(error) => not_judged(&flow.flow, flow.events, &error),
    }
}

/// A producer that failed in the middle leaves nothing judged, and nothing listed.
fn checked(outcome: Result<Slice, SourceError>, flow: &FlowPlan, recorder: &mut Recorder<'_>) -> Slice {
    outcome.unwrap_or_else(|error| {
        recorder.listed.clear();
        not_judged(&flow.flow, flow.events, &error)
    })
}

/// The windows of a slice that were judged to their end, with everything that was counted in them.
pub(super) fn judged_windows(slice: &Slice) -> Vec<JudgedWindow> {
    let consumers = &slice.report.consumers;
    let of = |place: usize| {
        let totals = consumers.iter().map(|consumer| {
            let window = consumer.counts.as_ref().and_then(|counts| counts.windows.get(place));
            (consumer.name.clone(), window.map(|(_, totals)| *totals).unwrap_or_default())
        });
        totals.collect()
    };
    let windows = slice.report.windows.iter().enumerate().filter_map(|(place, (window, events))| {
        let (_, lapsed) = slice.firm.iter().find(|(firm, _)| firm == window)?;
        Some(JudgedWindow { window: *window, events: *events, consumers: of(place), lapsed: *lapsed })
    });
    windows.collect()
}

pub(super) fn names(flow: &Flow) -> Vec<String> {
    flow.consumers.iter().map(|consumer| consumer.name.clone()).collect()
}

fn sorted(recorder: Recorder<'_>) -> Vec<crate::model::Difference> {
    let mut listed = recorder.listed;
    listed.sort();
    listed
}

fn head(plan: &Plan, id: String) -> Head {
    Head { id, as_of: plan.as_of, span: plan.span, time_zone: plan.time_zone, scheduled: false }
}

impl<'l> Keeping<'l> {
    pub(super) fn writer(self, flow: &Flow, since: Since) -> Writer<'l> {
        Writer {
            ledger: self.ledger,
            lease: self.lease,
            flow: flow.name.clone(),
            since,
            window: flow.window,
            zone: self.zone,
        }
    }
}
