//! The status for machines.

use super::super::rows::Rows;
use super::super::{FORMAT_VERSION, seconds_between};
use super::{FlowStatus, HOLES_NAMED, Overdue};
use crate::ledger::{Ages, RunHistory};
use crate::model::{Alert, Micros, Window};
use crate::reconcile::Undone;
use serde::Serialize;
use std::io::{self, Write};

#[derive(Serialize)]
struct Row<'a> {
    name: &'a str,
    configured: bool,
    overdue: bool,
    overdue_since: Option<Micros>,
    begin: Option<Micros>,
    watermark: Option<Micros>,
    behind_seconds: Option<f64>,
    due: Due,
    holes: Holes,
    next_due_at: Option<Micros>,
    open: Open,
    acknowledged: u64,
    last_run: Option<LastRun<'a>>,
    at_work: Option<&'a str>,
    alerts: Vec<AlertRow<'a>>,
    undelivered: u64,
}

#[derive(Serialize)]
struct AlertRow<'a> {
    consumer: Option<&'a str>,
    metric: &'a str,
    state: &'static str,
    level: &'static str,
    value: &'a str,
    bound: &'a str,
    since: Micros,
    silenced_until: Option<Micros>,
}

#[derive(Serialize)]
struct Due {
    count: usize,
    from: Option<Micros>,
    until: Option<Micros>,
}

#[derive(Serialize)]
struct Holes {
    count: usize,
    first: Vec<Hole>,
}

#[derive(Serialize)]
struct Hole {
    from: Micros,
    until: Micros,
}

#[derive(Serialize)]
struct Open {
    total: u64,
    within_hour: u64,
    within_day: u64,
    within_week: u64,
    older: u64,
}

#[derive(Serialize)]
struct LastRun<'a> {
    id: &'a str,
    as_of: Micros,
    started_at: Micros,
    finished_at: Option<Micros>,
    state: &'a str,
    scheduled: bool,
    outcome: Option<&'a str>,
    verdict: Option<&'a str>,
    exit_code: Option<i64>,
}

fn row(flow: &FlowStatus, as_of: Micros) -> Row<'_> {
    let Undone { due, holes } = &flow.undone;
    let span = |window: &Window| Hole { from: window.0.from, until: window.0.until };
    let since = match flow.overdue {
        Some(Overdue::Since(since)) => Some(since),
        Some(Overdue::NeverJudged) | None => None,
    };
    let watermark = flow.begun.map(|begun| begun.watermark);
    Row {
        name: &flow.name,
        configured: flow.configured,
        overdue: flow.overdue.is_some(),
        overdue_since: since,
        begin: flow.begun.map(|begun| begun.begin),
        watermark,
        behind_seconds: watermark.map(|watermark| seconds_between(watermark, as_of).max(0.0)),
        due: Due {
            count: due.len(),
            from: due.first().map(|window| window.0.from),
            until: due.last().map(|window| window.0.until),
        },
        holes: Holes { count: *holes, first: due.iter().take((*holes).min(HOLES_NAMED)).map(span).collect() },
        next_due_at: flow.next_due,
        open: open_row(&flow.ages),
        acknowledged: flow.ages.acknowledged,
        last_run: flow.last_run.as_ref().map(run_row),
        at_work: flow.at_work.as_deref(),
        alerts: flow.alerts.iter().map(alert_row).collect(),
        undelivered: flow.undelivered,
    }
}

fn alert_row(alert: &Alert) -> AlertRow<'_> {
    AlertRow {
        consumer: alert.key.consumer.as_deref(),
        metric: &alert.key.metric,
        state: alert.state.name(),
        level: alert.level.name(),
        value: &alert.value,
        bound: &alert.bound,
        since: alert.since,
        silenced_until: alert.silenced.as_ref().map(|silenced| silenced.until),
    }
}

fn open_row(ages: &Ages) -> Open {
    let [within_hour, within_day, within_week, older] = ages.open;
    Open { total: ages.open.iter().sum(), within_hour, within_day, within_week, older }
}

fn run_row(run: &RunHistory) -> LastRun<'_> {
    LastRun {
        id: &run.run,
        as_of: run.as_of,
        started_at: run.started_at,
        finished_at: run.finished_at,
        state: &run.state,
        scheduled: run.scheduled,
        outcome: run.outcome.as_deref(),
        verdict: run.verdict.as_deref(),
        exit_code: run.exit_code,
    }
}

/// For machines.
///
/// # Errors
/// Where it cannot be written.
pub fn json(out: impl Write, flows: &[FlowStatus], as_of: Micros) -> io::Result<()> {
    #[derive(Serialize)]
    struct Head {
        format_version: u32,
        as_of: Micros,
        overdue: bool,
    }
    #[derive(Serialize)]
    struct Tail {}
    let overdue = flows.iter().any(|flow| flow.overdue.is_some());
    let mut rows = Rows::begin(out, &Head { format_version: FORMAT_VERSION, as_of, overdue }, "flows")?;
    flows.iter().try_for_each(|flow| rows.row(&row(flow, as_of)))?;
    rows.end(&Tail {}).map(drop)
}
