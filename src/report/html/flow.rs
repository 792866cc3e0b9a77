//! The part of the page that repeats for each flow.

use super::super::chart::{self, Chart};
use super::super::facts::judged::{self, nothing};
use super::super::facts::{self, Notable};
use super::super::text::{self, MESSAGES, NOT_DECIDABLE, NOT_READ, grouped, several};
use super::{View, data, is_bare, is_partial, life, number, tone};
use crate::model::run::{Backlog, Counts};
use crate::model::{ConsumerReport, FlowReport, Kind, Verdict};
use minijinja::context;
use minijinja::value::Value;

/// At most this many windows of a flow are listed in words; `windows.csv` has them all.
pub const WINDOWS_MAX: usize = 100;

/// A flow: producer, backlog, consumers, windows.
pub(super) fn flow(flow: &FlowReport, view: View<'_>) -> Value {
    let View { run, language } = view;
    let kinds = facts::telling_kinds(flow);
    let notable = facts::notable_windows(flow);
    context! {
        name => data(&flow.name),
        outcome => view.text(flow.outcome.name()),
        verdict => view.text(flow.verdict.name()),
        partly => is_partial(flow.complete, flow.outcome),
        tone => tone(flow.verdict, flow.outcome),
        nothing => nothing(flow, run).map(|why| view.sentence(view.text(why.words()))),
        bare => is_bare(flow, run),
        chosen => judged::chosen_of_in(flow, run, language).map(|words| view.sentence(&words)),
        producer => producer(flow, view),
        backlog => flow.backlog.filter(|backlog| backlog.count > 0).map(|one| backlog(&one, view)),
        backlog_known => flow.backlog.is_some(),
        notes => facts::producer_notes(flow, language),
        kinds => kinds.iter().map(|kind| view.kind(*kind)).collect::<Vec<_>>(),
        consumers => flow.consumers.iter().map(|one| consumer(one, &kinds, view)).collect::<Vec<_>>(),
        any_read => flow.consumers.iter().any(|one| one.counts.is_some()),
        consumer_notes => flow.consumers.iter().flat_map(|one| consumer_notes(one, view)).collect::<Vec<_>>(),
        windows => notable.iter().take(WINDOWS_MAX).map(|one| window(one, view)).collect::<Vec<_>>(),
        life => life::of_flow(flow, view),
        acknowledged => facts::life::acknowledged_in(flow, language).map(|words| view.sentence(&words)),
        windows_total => number(notable.len() as u64),
        windows_shown => number(notable.len().min(WINDOWS_MAX) as u64),
    }
}

/// Label and number; `None` where the event table could not be read.
fn producer(flow: &FlowReport, view: View<'_>) -> Option<Vec<Value>> {
    let events = flow.events?;
    let kind = |kind| facts::kind_name(kind, view.language);
    let word = |english| view.text(english).to_owned();
    let cells = [
        (word("rows read"), events.rows, false),
        (word("acked"), events.acked, false),
        (kind(Kind::Pending), events.pending, false),
        (kind(Kind::Stuck), events.stuck, true),
        (kind(Kind::PublishFailed), events.publish_failed, true),
        (kind(Kind::Unattributable), events.unattributable, true),
        (word("unknown state"), events.unknown_state, true),
    ];
    let cell = |(label, count, fault)| context! { label, count => number(count), hit => fault && count > 0 };
    Some(cells.into_iter().map(cell).collect())
}

fn backlog(backlog: &Backlog, view: View<'_>) -> Value {
    let ages = Backlog::AGES.into_iter().map(|(_, age)| age).zip(backlog.by_age);
    let undated = (backlog.undated > 0).then_some(("no usable time", backlog.undated));
    let age = |(age, count)| context! { age => view.text(age), count => number(count) };
    let ages: Vec<_> = ages.chain(undated).map(age).collect();
    context! {
        count => several(backlog.count, ["{0} event", "{0} events"], view.language),
        oldest => backlog.oldest_age(view.run.as_of).map(|age| view.duration(&text::age(age))),
        ages => ages,
    }
}

fn consumer(consumer: &ConsumerReport, kinds: &[Kind], view: View<'_>) -> Value {
    let drawn = |counts: &Counts| {
        let zone = view.run.time_zone;
        chart::chart(&counts.windows, &consumer.not_decidable, zone, view.language)
    };
    let counts = consumer.counts.as_ref();
    context! {
        name => data(&consumer.name),
        outcome => view.text(if counts.is_some() { consumer.outcome.name() } else { NOT_READ }),
        tone => tone(Verdict::Pass, consumer.outcome),
        read => counts.is_some(),
        acked => counts.map(|counts| number(counts.totals.acked)),
        consumed => counts.map(|counts| number(facts::distinct_consumed(&counts.totals))),
        cells => kinds.iter().map(|kind| kind_cell(consumer, *kind, view)).collect::<Vec<_>>(),
        residual => counts.map(|counts| grouped(counts.residual())),
        off => counts.is_some_and(|counts| counts.residual() != 0),
        timing => counts.map(|counts| timing(counts, view)),
        chart => counts.and_then(drawn).map(|chart| drawing(chart, view)),
    }
}

fn consumer_notes(consumer: &ConsumerReport, view: View<'_>) -> Vec<Value> {
    let off = consumer.counts.as_ref().filter(|counts| counts.residual() != 0);
    let off = off.map(|counts| facts::books_in(counts, view.language));
    let notes = off.into_iter().chain(facts::notes_in(consumer, view.language));
    notes.map(|text| context! { name => data(&consumer.name), text }).collect()
}

fn kind_cell(consumer: &ConsumerReport, kind: Kind, view: View<'_>) -> Value {
    let count = consumer.counts.as_ref().map(|counts| counts.totals.of(kind));
    let (text, class) = match count {
        None => ("?".to_owned(), "unknown"),
        Some(_) if consumer.not_decidable.contains(&kind) => (view.text(NOT_DECIDABLE).to_owned(), "unknown"),
        Some(0) => ("0".to_owned(), "zero"),
        Some(count) if kind.is_difference() => (number(count), "hit"),
        Some(count) => (number(count), "some"),
    };
    context! { label => facts::kind_name(kind, view.language), text, class }
}

fn timing(counts: &Counts, view: View<'_>) -> Value {
    let seconds = |seconds| view.duration(&text::seconds(seconds));
    let latency = counts.latency.map(|one| [one.p50, one.p95, one.p99, one.max].map(seconds));
    context! {
        latency => latency.map(Vec::from),
        skew => counts.clock_skew_seconds.map(seconds),
        receipts => number(counts.receipts.read),
        outside => number(counts.receipts.outside),
    }
}

/// A chart as the template draws it.
pub(super) fn drawing(chart: Chart, view: View<'_>) -> Value {
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
        peak => several(chart.peak, MESSAGES, view.language),
        windows_per_bar => chart.windows_per_bar,
        gaps => chart.gaps,
        from, until,
        bars => chart.bars.into_iter().map(bar).collect::<Vec<_>>(),
    }
}

fn window(notable: &Notable<'_>, view: View<'_>) -> Value {
    let count = |(kind, count): &(Kind, u64)| {
        format!("{} {}", facts::kind_name(*kind, view.language), number(*count))
    };
    let counts: Vec<_> = notable.counts.iter().map(count).collect();
    context! {
        at => view.local(notable.window.0.from),
        consumer => data(notable.consumer),
        counts => counts.join(view.text(", ")),
    }
}
