//! Holds a run's result against the oracle: every difference, every count of every window, every residual.

use crate::drive::Driven;
use crate::oracle::{Truth, Verdict, usable};
use crate::pipeline::Pipeline;
use msgrecon::model::window::position;
use msgrecon::model::{ConsumerReport, Difference, Id, Kind, Micros, Totals};
use std::collections::BTreeSet;
use std::fmt::Arguments;

/// A difference as both sides tell it: consumer, kind, id, start of the window.
pub type Told = (Option<String>, Kind, Option<Id>, Option<Micros>);

/// Everything in which the run and the oracle disagree; empty where they agree.
pub fn disagreements(pipeline: &Pipeline, truth: &Truth, driven: &Driven, stale: bool) -> Vec<String> {
    let mut wrong = Vec::new();
    let (found, right) = (found(&driven.finished.differences), differences(pipeline, truth));
    for told in found.iter().filter(|told| !right.contains(told)) {
        wrong.push(format!("false alarm: {told:?}"));
    }
    for told in right.iter().filter(|told| !found.contains(told)) {
        wrong.push(format!("not found: {told:?}"));
    }
    let mut same = |what: Arguments<'_>, found: u64, right: u64| {
        if found != right {
            wrong.push(format!("{what}: found {found}, right {right}"));
        }
    };
    same(format_args!("differences"), driven.finished.differences_total, right.len() as u64);
    events(truth, driven, pipeline, stale, &mut same);
    for (place, report) in driven.finished.report.consumers.iter().enumerate() {
        windows(pipeline, truth, place, report, &mut same);
        receipts(driven, place, report, &mut same);
        parked(pipeline, truth, place, report, &mut same);
    }
    let complete = driven.finished.report.complete;
    same(format_args!("complete"), u64::from(complete), u64::from(complete_by(pipeline, truth, driven)));
    same(format_args!("problems"), u64::from(driven.finished.problems.is_empty()), u64::from(complete));
    wrong
}

/// The run's differences, sorted.
pub fn found(differences: &[Difference]) -> Vec<Told> {
    let told = |it: &Difference| (it.consumer.clone(), it.kind, it.id.clone(), it.window_from);
    let mut found: Vec<_> = differences.iter().map(told).collect();
    found.sort();
    found
}

/// The oracle's differences, sorted.
pub fn differences(pipeline: &Pipeline, truth: &Truth) -> Vec<Told> {
    let rules = &pipeline.rules;
    let told = |verdict: &Verdict| {
        let consumer = verdict.consumer.map(|place| rules.consumers[place].name.clone());
        let window = verdict.placed.and_then(|at| position(&rules.windows, at));
        (consumer, verdict.kind, verdict.id.clone(), window.map(|place| rules.windows[place].0.from))
    };
    let mut told: Vec<_> = truth.verdicts.iter().filter(|it| it.kind.is_difference()).map(told).collect();
    told.sort();
    told
}

fn events(
    truth: &Truth,
    driven: &Driven,
    pipeline: &Pipeline,
    stale: bool,
    same: &mut impl FnMut(Arguments<'_>, u64, u64),
) {
    let found = driven.finished.report.events.unwrap();
    let count = |kind| truth.verdicts.iter().filter(|it| it.consumer.is_none() && it.kind == kind).count();
    for kind in [Kind::Pending, Kind::Stuck, Kind::PublishFailed, Kind::Unattributable] {
        same(format_args!("events, {kind}"), found.of(kind), count(kind) as u64);
    }
    same(format_args!("events, acked"), found.acked, truth.acked);
    same(format_args!("events, ack_lost"), found.ack_lost, truth.ack_lost);
    same(format_args!("events, unknown"), found.unknown_state, truth.unknown);
    same(format_args!("events, without id"), found.without_id, truth.without_id);
    if !stale {
        let rows = pipeline.events.iter().filter(|row| row.in_flow);
        let placed = rows.filter_map(|row| crate::oracle::placed(pipeline, row));
        let rows = placed.filter(|at| pipeline.rules.span.contains(*at)).count();
        same(format_args!("events, rows"), found.rows, rows as u64);
    }
}

fn windows(
    pipeline: &Pipeline,
    truth: &Truth,
    place: usize,
    report: &ConsumerReport,
    same: &mut impl FnMut(Arguments<'_>, u64, u64),
) {
    let counts = report.counts.as_ref().unwrap();
    let own: Vec<_> = truth.verdicts.iter().filter(|it| it.consumer == Some(place)).collect();
    let mut sum = Totals::default();
    for (window, totals) in &counts.windows {
        let name = format_args!("{} {}", report.name, window.0.from);
        let here = |it: &&&Verdict| it.placed.is_some_and(|at| window.0.contains(at));
        let here: Vec<_> = own.iter().filter(here).collect();
        if here.is_empty() && totals.is_empty() {
            continue;
        }
        for kind in Kind::ALL {
            let right = here.iter().filter(|it| it.kind == kind).count();
            same(format_args!("{name} {kind}"), totals.of(kind), right as u64);
        }
        let acked = here.iter().filter(|it| !matches!(it.kind, Kind::Orphan | Kind::AckLost)).count();
        same(format_args!("{name} acked"), totals.acked, acked as u64);
        let records = |kind| here.iter().filter(|it| it.kind == kind).map(|it| it.records).sum::<u64>();
        same(format_args!("{name} records 2+"), totals.duplicate_records, records(Kind::Duplicate));
        same(format_args!("{name} ack lost records"), totals.ack_lost_records, records(Kind::AckLost));
        same(format_args!("{name} orphan records"), totals.orphan_records, records(Kind::Orphan));
        same(format_args!("{name} residual"), totals.residual().unsigned_abs(), 0);
        sum.merge(totals);
    }
    assert_eq!(counts.windows.len(), pipeline.rules.windows.len());
    same(format_args!("{}: windows add up", report.name), u64::from(sum == counts.totals), 1);
}

/// A dead letter of the range that is still open is told of where its message was consumed; of dead letters further
/// away only those that somebody had to look up are known.
fn parked(
    pipeline: &Pipeline,
    truth: &Truth,
    place: usize,
    report: &ConsumerReport,
    same: &mut impl FnMut(Arguments<'_>, u64, u64),
) {
    let found = report.counts.as_ref().unwrap().consumed_but_parked;
    let open = |id: &Id, far: bool| {
        let near = |stamp| usable(pipeline, stamp).is_some_and(|at| pipeline.rules.span.contains(at));
        pipeline.parked(place, id).iter().any(|letter| !letter.closed && (far || near(letter.dead)))
    };
    let own = truth.verdicts.iter().filter(|it| it.consumer == Some(place) && it.kind != Kind::Orphan);
    let consumed = own.filter(|it| it.records > 0).filter_map(|it| it.id.as_ref());
    let least = consumed.filter(|id| open(id, false)).count() as u64;
    let rows = pipeline.events.iter().filter_map(|row| row.id.as_ref());
    let known: BTreeSet<_> = rows.filter(|id| !pipeline.consumed(place, id).is_empty()).collect();
    let most = known.into_iter().filter(|id| open(id, true)).count() as u64;
    same(format_args!("{} parked", report.name), found.clamp(least, most), found);
}

/// Each receipt that went in counts once, whether it was read in the range, looked up, or both.
fn receipts(
    driven: &Driven,
    place: usize,
    report: &ConsumerReport,
    same: &mut impl FnMut(Arguments<'_>, u64, u64),
) {
    let counts = report.counts.as_ref().unwrap();
    same(format_args!("{} receipts read", report.name), counts.receipts.read, driven.receipts_read[place]);
    let nameless = driven.receipts_nameless[place];
    same(format_args!("{} receipts without id", report.name), counts.receipts.without_id, nameless);
    same(format_args!("{} residual", report.name), counts.residual().unsigned_abs(), 0);
}

/// A run is complete exactly if everything that it looked at got a verdict.
fn complete_by(pipeline: &Pipeline, truth: &Truth, driven: &Driven) -> bool {
    let none = |counts: &[u64]| counts.iter().all(|count| *count == 0);
    let events = driven.finished.report.events.unwrap();
    if events.unattributable > 0 && events.rows == 0 {
        return false; // Nothing at all was compared.
    }
    truth.unknown == 0
        && truth.without_id == 0
        && pipeline.rules.events_fresh_until.is_none_or(|fresh| fresh >= pipeline.rules.span.until)
        && truth.verdicts.iter().all(|it| it.kind != Kind::Unverifiable)
        && !(0..pipeline.rules.consumers.len()).any(|place| has_undated_stranger(pipeline, place))
        && none(&driven.receipts_nameless)
        && none(&driven.dead_nameless)
}

/// Whether the consumer has receipts of a message that nobody knows and that belongs to no time: an orphan of no range.
fn has_undated_stranger(pipeline: &Pipeline, place: usize) -> bool {
    let rules = &pipeline.rules;
    let known = |id: &Id| pipeline.events.iter().any(|row| row.id.as_ref() == Some(id));
    let dated = |id: &Id| {
        let consumed = pipeline.consumed(place, id).into_iter();
        let parked = pipeline.parked(place, id).into_iter().map(|letter| letter.dead);
        consumed.chain(parked).any(|stamp| usable(pipeline, stamp).is_some())
    };
    let own = pipeline.receipts.iter().filter(|(consumer, _)| *consumer == place);
    !rules.rows_vanish
        && rules.consumers[place].receipts_dated
        && own.filter_map(|(_, row)| row.id.as_ref()).any(|id| !known(id) && !dated(id))
}
