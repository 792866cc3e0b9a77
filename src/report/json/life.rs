//! What the ledger knows of a flow, as `report.json` has it.

use crate::model::life::{Acknowledged, Healed, LastRun, TrendPoint};
use crate::model::{FlowLife, Id, Kind, Micros};
use serde::Serialize;

/// The run before.
#[derive(Serialize)]
pub(super) struct LastRunBody<'a> {
    id: &'a str,
    as_of: Micros,
}

pub(super) fn last_run_body(last: &LastRun) -> LastRunBody<'_> {
    LastRunBody { id: &last.id, as_of: last.as_of }
}

/// What the verdict of a flow does not count.
#[derive(Serialize)]
pub(super) struct AcknowledgedRow<'a> {
    consumer: Option<&'a str>,
    kind: Kind,
    count: u64,
}

pub(super) fn acknowledged_row(one: &Acknowledged) -> AcknowledgedRow<'_> {
    AcknowledgedRow { consumer: one.consumer.as_deref(), kind: one.kind, count: one.count }
}

/// A flow's `life`.
#[derive(Serialize)]
pub(super) struct LifeBody<'a> {
    new: u64,
    still_open: u64,
    acknowledged: u64,
    resolved: u64,
    expired: u64,
    watermark: Option<Micros>,
    due: u64,
    healed: Vec<HealedRow<'a>>,
    healed_listed: usize,
    healed_total: u64,
    trend: Trend,
}

/// Numbers as they are; the list of what healed may be cut, and `healed_total` is whole.
pub(super) fn life_body(life: &FlowLife) -> LifeBody<'_> {
    LifeBody {
        new: life.new,
        still_open: life.still_open,
        acknowledged: life.acknowledged,
        resolved: life.resolved,
        expired: life.expired,
        watermark: life.watermark,
        due: life.due,
        healed: life.healed.iter().map(healed_row).collect(),
        healed_listed: life.healed.len(),
        healed_total: life.resolved + life.expired,
        trend: Trend {
            windows: life.windows.iter().map(trend_row).collect(),
            days: life.days.iter().map(trend_row).collect(),
        },
    }
}

#[derive(Serialize)]
struct HealedRow<'a> {
    consumer: Option<&'a str>,
    id: &'a Id,
    kind: Kind,
    window_from: Option<Micros>,
    first_seen: Micros,
    expired: bool,
    evidence: &'a str,
}

fn healed_row(one: &Healed) -> HealedRow<'_> {
    HealedRow {
        consumer: one.consumer.as_deref(),
        id: &one.id,
        kind: one.kind,
        window_from: one.window_from,
        first_seen: one.first_seen,
        expired: one.expired,
        evidence: &one.evidence,
    }
}

#[derive(Serialize)]
struct Trend {
    windows: Vec<TrendRow>,
    days: Vec<TrendRow>,
}

#[derive(Serialize)]
struct TrendRow {
    from: Micros,
    until: Micros,
    complete: bool,
    acked: u64,
    lost: u64,
    other: u64,
}

fn trend_row(point: &TrendPoint) -> TrendRow {
    TrendRow {
        from: point.span.from,
        until: point.span.until,
        complete: point.complete,
        acked: point.acked,
        lost: point.lost,
        other: point.other,
    }
}
