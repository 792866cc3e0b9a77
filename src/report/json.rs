//! `report.json`: for machines. Keys keep their order, ids are exact strings, unknown is null and never 0.

mod life;

use super::RenderError;
use super::facts::{COUNT_NAMES, count_values};
use super::layout::RowPerLine;
use crate::model::latency::{LatencySeconds, seconds};
use crate::model::run::{Backlog, Breach, Counts};
use crate::model::tally::{EventTotals, Receipts};
use crate::model::{ConsumerReport, Difference, FlowReport, Id, Kind, Micros, Problem, Run, Totals, Window};
use serde::Serialize;
use serde::ser::{SerializeMap, Serializer};
use std::io;

/// Raised when a key changes its meaning; new keys do not raise it.
pub const FORMAT_VERSION: u32 = 1;

/// The whole run as JSON, ending in a newline; the same bytes for the same run.
///
/// # Errors
///
/// None that is known: the writer is memory and every key is a string.
pub fn render(run: &Run) -> Result<Vec<u8>, RenderError> {
    let mut out = Vec::new();
    write(run, &mut out)?;
    Ok(out)
}

/// The same, written as it is made: a report of very many differences need not be in memory twice.
///
/// # Errors
///
/// Where it cannot be written.
pub fn write(run: &Run, out: &mut impl io::Write) -> Result<(), RenderError> {
    let mut serializer = serde_json::Serializer::with_formatter(&mut *out, RowPerLine::default());
    document(run).serialize(&mut serializer)?;
    out.write_all(b"\n").map_err(RenderError::Write)
}

#[derive(Serialize)]
struct Document<'a> {
    format_version: u32,
    run: RunHead<'a>,
    flows: Vec<FlowBody<'a>>,
    #[serde(serialize_with = "rows")]
    differences: &'a [Difference],
    problems: Vec<ProblemRow<'a>>,
    listed: usize,
    total: u64,
}

fn document(run: &Run) -> Document<'_> {
    Document {
        format_version: FORMAT_VERSION,
        run: run_head(run),
        flows: run.flows.iter().map(|flow| flow_body(flow, run.as_of)).collect(),
        differences: &run.differences,
        problems: run.problems.iter().map(problem_row).collect(),
        listed: run.differences.len(),
        total: run.differences_total,
    }
}

#[derive(Serialize)]
struct RunHead<'a> {
    id: &'a str,
    version: &'a str,
    as_of: Micros,
    from: Micros,
    until: Micros,
    time_zone: &'static str,
    outcome: &'static str,
    complete: bool,
    verdict: &'static str,
    exit_code: u8,
    scheduled: bool,
    last_run: Option<life::LastRunBody<'a>>,
}

fn run_head(run: &Run) -> RunHead<'_> {
    RunHead {
        id: &run.id,
        version: &run.version,
        as_of: run.as_of,
        from: run.span.from,
        until: run.span.until,
        time_zone: run.time_zone.name(),
        outcome: run.outcome.name(),
        complete: run.complete,
        verdict: run.verdict.name(),
        exit_code: run.exit_code,
        scheduled: run.scheduled,
        last_run: run.last_run.as_ref().map(life::last_run_body),
    }
}

#[derive(Serialize)]
struct FlowBody<'a> {
    name: &'a str,
    outcome: &'static str,
    complete: bool,
    verdict: &'static str,
    events: Option<Events>,
    consumers: Vec<ConsumerBody<'a>>,
    breaches: Vec<BreachRow<'a>>,
    hints: &'a [String],
    life: Option<life::LifeBody<'a>>,
    acknowledged: Vec<life::AcknowledgedRow<'a>>,
}

fn flow_body(flow: &FlowReport, as_of: Micros) -> FlowBody<'_> {
    let known = flow.events.is_some() || flow.backlog.is_some();
    FlowBody {
        name: &flow.name,
        outcome: flow.outcome.name(),
        complete: flow.complete,
        verdict: flow.verdict.name(),
        events: known.then(|| events(flow.events, flow.backlog, as_of)),
        consumers: flow.consumers.iter().map(consumer_body).collect(),
        breaches: flow.breaches.iter().map(breach_row).collect(),
        hints: &flow.hints,
        life: flow.life.as_ref().map(life::life_body),
        acknowledged: flow.acknowledged.iter().map(life::acknowledged_row).collect(),
    }
}

#[derive(Serialize)]
struct Events {
    rows: Option<u64>,
    acked: Option<u64>,
    pending: Option<u64>,
    stuck: Option<u64>,
    publish_failed: Option<u64>,
    ack_lost: Option<u64>,
    unknown_state: Option<u64>,
    unattributable: Option<u64>,
    without_id: Option<u64>,
    oldest_pending_seconds: Option<f64>,
    backlog: Option<BacklogBody>,
}

fn events(totals: Option<EventTotals>, backlog: Option<Backlog>, as_of: Micros) -> Events {
    Events {
        rows: totals.map(|totals| totals.rows),
        acked: totals.map(|totals| totals.acked),
        pending: totals.map(|totals| totals.pending),
        stuck: totals.map(|totals| totals.stuck),
        publish_failed: totals.map(|totals| totals.publish_failed),
        ack_lost: totals.map(|totals| totals.ack_lost),
        unknown_state: totals.map(|totals| totals.unknown_state),
        unattributable: totals.map(|totals| totals.unattributable),
        without_id: totals.map(|totals| totals.without_id),
        oldest_pending_seconds: backlog.and_then(|backlog| backlog.oldest_age(as_of)).map(to_the_millisecond),
        backlog: backlog.map(backlog_body),
    }
}

#[derive(Serialize)]
struct BacklogBody {
    count: u64,
    oldest: Option<Micros>,
    by_age: Vec<AgeCount>,
    undated: u64,
}

#[derive(Serialize)]
struct AgeCount {
    age: &'static str,
    count: u64,
}

fn backlog_body(backlog: Backlog) -> BacklogBody {
    let ages = Backlog::AGES.into_iter().zip(backlog.by_age);
    BacklogBody {
        count: backlog.count,
        oldest: backlog.oldest,
        by_age: ages.map(|((_, age), count)| AgeCount { age, count }).collect(),
        undated: backlog.undated,
    }
}

#[derive(Serialize)]
struct ConsumerBody<'a> {
    name: &'a str,
    outcome: &'static str,
    complete: bool,
    strategy: &'static str,
    totals: Option<Cells>,
    not_decidable: &'a [Kind],
    latency_seconds: Option<LatencySeconds>,
    clock_skew_seconds: Option<f64>,
    receipts: Option<ReceiptsBody>,
    consumed_but_parked: Option<u64>,
    other_consumers: Vec<OtherRow<'a>>,
    windows: Vec<WindowRow>,
}

fn consumer_body(consumer: &ConsumerReport) -> ConsumerBody<'_> {
    let counts = consumer.counts.as_ref();
    let others = consumer.other_consumers.iter();
    ConsumerBody {
        name: &consumer.name,
        outcome: consumer.outcome.name(),
        complete: consumer.complete,
        strategy: consumer.strategy.name(),
        totals: counts.map(|counts| cells(&counts.totals, consumer)),
        not_decidable: &consumer.not_decidable,
        latency_seconds: counts.and_then(|counts| counts.latency),
        clock_skew_seconds: counts.and_then(|counts| counts.clock_skew_seconds),
        receipts: counts.map(receipts_body),
        consumed_but_parked: counts.map(|counts| counts.consumed_but_parked),
        other_consumers: others.map(|(name, records)| OtherRow { name, records: *records }).collect(),
        windows: counts.map_or_else(Vec::new, |counts| window_rows(counts, consumer)),
    }
}

/// A consumer's counts as one object.
struct Cells([Option<i64>; COUNT_NAMES.len()]);

fn cells(totals: &Totals, consumer: &ConsumerReport) -> Cells {
    Cells(count_values(totals, &consumer.not_decidable))
}

impl Serialize for Cells {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_map(COUNT_NAMES.iter().zip(&self.0))
    }
}

struct WindowRow(Window, Cells);

fn window_rows(counts: &Counts, consumer: &ConsumerReport) -> Vec<WindowRow> {
    counts.windows.iter().map(|(window, totals)| WindowRow(*window, cells(totals, consumer))).collect()
}

impl Serialize for WindowRow {
    fn serialize<S: Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        let mut map = out.serialize_map(Some(2 + COUNT_NAMES.len()))?;
        map.serialize_entry("from", &self.0.0.from)?;
        map.serialize_entry("until", &self.0.0.until)?;
        for (name, value) in COUNT_NAMES.iter().zip(&self.1.0) {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

#[derive(Serialize)]
struct ReceiptsBody {
    read: u64,
    outside: u64,
    undecidable: u64,
    without_id: u64,
    residual: i64,
}

fn receipts_body(counts: &Counts) -> ReceiptsBody {
    let Receipts { read, outside, undecidable, without_id } = counts.receipts;
    ReceiptsBody {
        read,
        outside,
        undecidable,
        without_id,
        residual: counts.receipts.residual(&counts.totals),
    }
}

#[derive(Serialize)]
struct OtherRow<'a> {
    name: &'a str,
    records: u64,
}

#[derive(Serialize)]
struct BreachRow<'a> {
    metric: &'a str,
    consumer: Option<&'a str>,
    level: &'static str,
    value: &'a str,
    bound: &'a str,
}

fn breach_row(breach: &Breach) -> BreachRow<'_> {
    BreachRow {
        metric: &breach.metric,
        consumer: breach.consumer.as_deref(),
        level: breach.level.name(),
        value: &breach.value,
        bound: &breach.bound,
    }
}

#[derive(Serialize)]
struct ProblemRow<'a> {
    source: &'a str,
    flow: Option<&'a str>,
    message: &'a str,
}

fn problem_row(problem: &Problem) -> ProblemRow<'_> {
    ProblemRow { source: &problem.source, flow: problem.flow.as_deref(), message: &problem.message }
}

#[derive(Serialize)]
struct DifferenceRow<'a> {
    flow: &'a str,
    consumer: Option<&'a str>,
    kind: Kind,
    id: Option<&'a Id>,
    window_from: Option<Micros>,
    created_at: Option<Micros>,
    acked_at: Option<Micros>,
    consumed_at: Option<Micros>,
    age_seconds: Option<f64>,
    first_seen: Micros,
    detail: &'a str,
    status: &'static str,
    times_seen: u64,
    after_first_check: bool,
}

fn difference_row(difference: &Difference) -> DifferenceRow<'_> {
    DifferenceRow {
        flow: &difference.flow,
        consumer: difference.consumer.as_deref(),
        kind: difference.kind,
        id: difference.id.as_ref(),
        window_from: difference.window_from,
        created_at: difference.created_at,
        acked_at: difference.acked_at,
        consumed_at: difference.consumed_at,
        age_seconds: difference.age.map(to_the_millisecond),
        first_seen: difference.first_seen,
        detail: &difference.detail,
        status: difference.status.name(),
        times_seen: difference.times_seen,
        after_first_check: difference.after_first_check,
    }
}

/// Rows are made one by one: the list may be long.
fn rows<S: Serializer>(differences: &&[Difference], out: S) -> Result<S::Ok, S::Error> {
    out.collect_seq(differences.iter().map(difference_row))
}

/// Seconds, rounded to the millisecond.
#[must_use]
pub fn to_the_millisecond(micros: i64) -> f64 {
    seconds(micros.saturating_add(500).div_euclid(1_000).saturating_mul(1_000))
}

#[cfg(test)]
mod tests;
