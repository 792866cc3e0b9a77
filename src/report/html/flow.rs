//! The part of the page that repeats for each flow.

use super::super::chart::{self, Chart};
use super::super::facts::judged::{self, nothing};
use super::super::facts::{self, Notable};
use super::super::text::{self, NOT_DECIDABLE, NOT_READ, grouped, local, plural};
use super::{data, is_bare, life, number, sentence, tone};
use crate::model::run::{Backlog, Counts};
use crate::model::{ConsumerReport, FlowReport, Kind, Run, Verdict};
use minijinja::context;
use minijinja::value::Value;

/// At most this many windows of a flow are listed in words; `windows.csv` has them all.
pub const WINDOWS_MAX: usize = 100;

/// A flow: producer, backlog, consumers, windows.
pub(super) fn flow(flow: &FlowReport, run: &Run) -> Value {
    let kinds = facts::telling_kinds(flow);
    let notable = facts::notable_windows(flow);
    context! {
        name => data(&flow.name),
        outcome => flow.outcome.name(),
        verdict => flow.verdict.name(),
        complete => flow.complete,
        tone => tone(flow.verdict, flow.outcome),
        nothing => nothing(flow, run).map(|why| sentence(why.words())),
        bare => is_bare(flow, run),
        chosen => judged::chosen_of(flow, run).map(|words| sentence(&words)),
        producer => producer(flow),
        backlog => flow.backlog.filter(|backlog| backlog.count > 0).map(|one| backlog(&one, run)),
        backlog_known => flow.backlog.is_some(),
        notes => facts::producer_notes(flow),
        kinds => kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        consumers => flow.consumers.iter().map(|one| consumer(one, &kinds, run)).collect::<Vec<_>>(),
        any_read => flow.consumers.iter().any(|one| one.counts.is_some()),
        consumer_notes => flow.consumers.iter().flat_map(consumer_notes).collect::<Vec<_>>(),
        windows => notable.iter().take(WINDOWS_MAX).map(|one| window(one, run)).collect::<Vec<_>>(),
        life => life::of_flow(flow, run),
        acknowledged => facts::life::acknowledged(flow).map(|words| sentence(&words)),
        windows_total => number(notable.len() as u64),
        windows_shown => number(notable.len().min(WINDOWS_MAX) as u64),
    }
}

/// Label and number; `None` where the event table could not be read.
fn producer(flow: &FlowReport) -> Option<Vec<Value>> {
    let events = flow.events?;
    let always = [
        ("rows read", events.rows, false),
        ("acked", events.acked, false),
        ("pending", events.pending, false),
    ];
    let faults = [
        ("stuck", events.stuck, true),
        ("publish_failed", events.publish_failed, true),
        ("unattributable", events.unattributable, true),
        ("unknown state", events.unknown_state, true),
    ];
    let cells = always.into_iter().chain(faults);
    Some(
        cells
            .map(
                |(label, count, fault)| context! { label, count => number(count), hit => fault && count > 0 },
            )
            .collect(),
    )
}

fn backlog(backlog: &Backlog, run: &Run) -> Value {
    let ages = Backlog::AGES.into_iter().zip(backlog.by_age);
    let mut ages: Vec<_> = ages.map(|((_, age), count)| context! { age, count => number(count) }).collect();
    if backlog.undated > 0 {
        ages.push(context! { age => "no usable time", count => number(backlog.undated) });
    }
    context! {
        count => plural(backlog.count, "event"),
        oldest => backlog.oldest_age(run.as_of).map(text::age),
        ages => ages,
    }
}

fn consumer(consumer: &ConsumerReport, kinds: &[Kind], run: &Run) -> Value {
    let counts = consumer.counts.as_ref();
    context! {
        name => data(&consumer.name),
        outcome => if counts.is_some() { consumer.outcome.name() } else { NOT_READ },
        tone => tone(Verdict::Pass, consumer.outcome),
        read => counts.is_some(),
        acked => counts.map(|counts| number(counts.totals.acked)),
        consumed => counts.map(|counts| number(facts::distinct_consumed(&counts.totals))),
        cells => kinds.iter().map(|kind| kind_cell(consumer, *kind)).collect::<Vec<_>>(),
        residual => counts.map(|counts| grouped(counts.residual())),
        off => counts.is_some_and(|counts| counts.residual() != 0),
        timing => counts.map(timing),
        chart => counts.and_then(|counts| chart::chart(&counts.windows, &consumer.not_decidable, run.time_zone)).map(drawing),
    }
}

fn consumer_notes(consumer: &ConsumerReport) -> Vec<Value> {
    let off = consumer.counts.as_ref().filter(|counts| counts.residual() != 0).map(facts::books);
    let notes = off.into_iter().chain(facts::notes(consumer));
    notes.map(|text| context! { name => data(&consumer.name), text }).collect()
}

fn kind_cell(consumer: &ConsumerReport, kind: Kind) -> Value {
    let count = consumer.counts.as_ref().map(|counts| counts.totals.of(kind));
    let (text, class) = match count {
        None => ("?".to_owned(), "unknown"),
        Some(_) if consumer.not_decidable.contains(&kind) => (NOT_DECIDABLE.to_owned(), "unknown"),
        Some(0) => ("0".to_owned(), "zero"),
        Some(count) if kind.is_difference() => (number(count), "hit"),
        Some(count) => (number(count), "some"),
    };
    context! { label => kind.name(), text, class }
}

fn timing(counts: &Counts) -> Value {
    let latency = counts.latency.map(|one| [one.p50, one.p95, one.p99, one.max].map(text::seconds));
    context! {
        latency => latency.map(Vec::from),
        skew => counts.clock_skew_seconds.map(text::seconds),
        receipts => number(counts.receipts.read),
        outside => number(counts.receipts.outside),
    }
}

/// A chart as the template draws it.
pub(super) fn drawing(chart: Chart) -> Value {
    let [from, until] = chart.ends;
    let bar = |bar: chart::Bar| {
        let part = |part: chart::Part| context! { class => part.class, y => part.y, height => part.height };
        let parts = bar.parts.into_iter().map(part).collect::<Vec<_>>();
        context! { title => bar.title, x => bar.x, complete => bar.complete, parts }
    };
    context! {
        width => chart.width,
        height => chart::HEIGHT,
        step => chart::STEP,
        gap => if chart.bars.len() > 48 { 1 } else { 2 },
        peak => plural(chart.peak, "message"),
        windows_per_bar => chart.windows_per_bar,
        gaps => chart.gaps,
        from, until,
        bars => chart.bars.into_iter().map(bar).collect::<Vec<_>>(),
    }
}

fn window(notable: &Notable<'_>, run: &Run) -> Value {
    let counts = notable.counts.iter().map(|(kind, count)| format!("{kind} {}", number(*count)));
    context! {
        at => local(notable.window.0.from, run.time_zone),
        consumer => data(notable.consumer),
        counts => counts.collect::<Vec<_>>().join(", "),
    }
}
