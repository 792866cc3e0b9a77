//! What the templates are told. Lists are cut to a budget, and every cut list says how many there are.

use super::bars;
use crate::language::Language;
use crate::model::alert::Event;
use crate::model::life::TrendPoint;
use crate::model::{ConsumerReport, FlowReport, Kind, Run};
use crate::notify::brief::{Brief, Group, Line, Listed, Number, Top, counted_text};
use crate::report::facts::{distinct_consumed, other_than_ok};
use crate::report::text::{exact, grouped, visible};
use minijinja::context;
use minijinja::value::Value;

/// The last days of a flow.
const DAYS: usize = 14;
/// Names in a table.
const NAME_MAX: usize = 80;
/// The subject as a page's title, and other lines that may be long.
const LINE_MAX: usize = 300;

/// How many entries a mail has room for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Room {
    /// Alerts of each sort.
    alerts: usize,
    /// Problems.
    problems: usize,
    /// Flows, and consumers of all flows.
    rows: usize,
    /// Differences.
    top: usize,
}

impl Room {
    /// The most that a mail holds, which asks for `top` differences; each step halves it.
    pub(super) fn step(top: usize, step: u32) -> Self {
        let half = |full: usize| full.checked_shr(step).unwrap_or(0);
        Self { alerts: half(40).max(1), problems: half(20).max(1), rows: half(40).max(1), top: half(top) }
    }
}

/// What goes with the mail, besides the brief.
#[derive(Clone, Debug, Default)]
pub(super) struct Extra {
    /// What is attached, or why nothing is.
    pub attachment: Option<String>,
    /// What is wrong with the user's templates.
    pub note: Option<String>,
}

/// Everything that a template may show; `run` is the brief's part.
pub(super) fn page(brief: &Brief, run: &Run, extra: &Extra, room: Room) -> Value {
    let told =
        |line: &&Line| brief.lines.iter().all(|one| one.place != line.place || one.metric != line.metric);
    let also: Vec<_> = brief.firing.iter().filter(told).collect();
    let rows: Vec<_> = run.flows.iter().flat_map(|flow| rows(flow, brief.language)).collect();
    let fresh: Vec<_> = brief.coverage.flows.iter().filter(|one| !one.parts.is_empty()).collect();
    context! {
        lang => brief.language.name(),
        head => head(brief, run),
        alerts => cut(&brief.lines, room.alerts, alert),
        also => cut(&also, room.alerts, |line| alert(line)),
        changes => brief.changes.iter().map(|one| context! { name => one.name, word => &one.word,
            count => grouped(one.count.cast_signed()), any => one.count > 0 }).collect::<Vec<_>>(),
        compared => &brief.compared,
        coverage => context! {
            complete => brief.coverage.complete,
            text => &brief.coverage.text,
            problems => cut(&brief.coverage.problems, room.problems, |one| Value::from(one.as_str())),
            unread => cut(&brief.coverage.unread, room.problems, |one| Value::from(one.as_str())),
            flows => cut(&fresh, room.rows, |one| context! { flow => &one.flow, parts => &one.parts }),
        },
        rows => cut(&rows, room.rows, Clone::clone),
        days => cut(&days(run), room.rows.div_ceil(4), Clone::clone),
        top => top(brief, room.top),
        todo => todo(brief),
        rerun => &brief.rerun,
        report => &brief.report,
        runbooks => cut(&brief.runbooks, room.rows, |(flow, link)| context! {
            flow => short(flow), link, safe => is_web(link) }),
        attachment => &extra.attachment,
        note => &extra.note,
    }
}

fn head(brief: &Brief, run: &Run) -> Value {
    context! {
        status => brief.status,
        word => &brief.status_word,
        tone => brief.tone.name(),
        sign => match brief.tone.name() { "bad" => "✕", "warn" => "!", _ => "✓" },
        name => short(&brief.name),
        subject => short(&brief.subject),
        headline => short(&brief.headline),
        occasion => &brief.occasion,
        span => &brief.span,
        as_of => &brief.as_of,
        run => &brief.run,
        version => visible(&run.version),
        exit_code => run.exit_code,
    }
}

/// A text that is readable already, cut where it is very long.
fn short(text: &str) -> String {
    if text.chars().count() <= LINE_MAX { text.to_owned() } else { exact(text, LINE_MAX) }
}

/// The first `max` of a list, and how many more there are.
fn cut<T>(all: &[T], max: usize, shown: impl Fn(&T) -> Value) -> Value {
    let more = all.len().saturating_sub(max);
    let more = (more > 0).then(|| grouped(i64::try_from(more).unwrap_or(i64::MAX)));
    context! { shown => all.iter().take(max).map(shown).collect::<Vec<_>>(), more }
}

fn alert(line: &Line) -> Value {
    context! {
        event => line.event.map(Event::name),
        event_word => &line.event_word,
        level => line.level.name(),
        level_word => &line.level_word,
        tone => if line.silenced.is_some() { "plain" } else { line.tone.name() },
        place => &line.place,
        metric => &line.metric,
        title => &line.title,
        value => &line.value,
        bound => &line.bound,
        fresh => (line.fresh > 0).then(|| grouped(line.fresh.cast_signed())),
        since => &line.since,
        silenced => &line.silenced,
        remedy => &line.remedy,
        text => &line.text,
    }
}

/// A line for the producer and each consumer of a flow.
fn rows(flow: &FlowReport, language: Language) -> Vec<Value> {
    let name = exact(&flow.name, NAME_MAX);
    let consumers = flow.consumers.iter().map(|one| consumer(&name, one, language));
    producer(&name, flow, language).into_iter().chain(consumers).collect()
}

/// The producer has a line of its own where it has something to say that no consumer says.
fn producer(name: &str, flow: &FlowReport, language: Language) -> Option<Value> {
    let Some(events) = flow.events else {
        return Some(row(name, Vec::new(), None, vec![language.text("could not be read").to_owned()]));
    };
    let kinds = [Kind::Stuck, Kind::PublishFailed, Kind::Unattributable, Kind::Pending];
    let told = kinds.into_iter().filter(|kind| events.of(*kind) > 0);
    let told: Vec<_> = told.map(|kind| counted_text(kind, events.of(kind), language)).collect();
    let acked = language.fill("{0} acked", &[&grouped(events.acked.cast_signed())]);
    (!told.is_empty() || flow.consumers.is_empty()).then(|| row(name, Vec::new(), Some(acked), told))
}

fn consumer(flow: &str, consumer: &ConsumerReport, language: Language) -> Value {
    let name = format!("{flow} → {}", exact(&consumer.name, NAME_MAX));
    let Some(counts) = &consumer.counts else {
        return row(&name, Vec::new(), None, vec![language.text("could not be read").to_owned()]);
    };
    let totals = &counts.totals;
    let others = other_than_ok(totals, &consumer.not_decidable);
    let mut told: Vec<_> =
        others.into_iter().map(|(kind, count)| counted_text(kind, count, language)).collect();
    if !consumer.not_decidable.is_empty() {
        let kinds: Vec<_> = consumer.not_decidable.iter().map(|kind| kind.name()).collect();
        told.push(language.fill("not decidable: {0}", &[&kinds.join(", ")]));
    }
    let [acked, seen] = [totals.acked, distinct_consumed(totals)].map(|count| grouped(count.cast_signed()));
    let sums = language.fill("{0} of {1} consumed", &[&seen, &acked]);
    row(&name, bars::bar(totals, &consumer.not_decidable), Some(sums), told)
}

fn row(name: &str, bar: Vec<(&'static str, u64)>, sums: Option<String>, told: Vec<String>) -> Value {
    let bar: Vec<_> = bar.into_iter().map(|(class, width)| context! { class, width }).collect();
    context! { name, bar, sums, told }
}

/// The last days of each flow that has more than one.
fn days(run: &Run) -> Vec<Value> {
    let of = |flow: &FlowReport| {
        let days = &flow.life.as_ref()?.days;
        let last = &days[days.len().saturating_sub(DAYS)..];
        let cell = |point: &TrendPoint| {
            let date = point.span.from.to_utc().with_timezone(&run.time_zone);
            let (class, sign) = bars::day(point);
            context! { class, sign, date => date.format("%d").to_string() }
        };
        let cells: Vec<_> = last.iter().map(cell).collect();
        let first = last.first()?.span.from.to_utc().with_timezone(&run.time_zone);
        (cells.len() > 1).then(
            || context! { flow => exact(&flow.name, NAME_MAX), cells, from => first.format("%Y-%m-%d").to_string() },
        )
    };
    run.flows.iter().filter_map(of).collect()
}

fn top(brief: &Brief, max: usize) -> Value {
    let cut: Top = brief.top.cut(max);
    let groups = cut.groups.iter().filter(|group| group.total > 0);
    let group = |group: &Group| {
        context! {
            kind => group.kind.name(),
            word => &group.word,
            shown => group.shown(brief.language),
            listed => group.listed.iter().map(difference).collect::<Vec<_>>(),
        }
    };
    context! {
        total => cut.total,
        shown => cut.shown(),
        groups => groups.map(group).collect::<Vec<_>>(),
    }
}

fn difference(one: &Listed) -> Value {
    let facts = [&one.at, &one.age, &one.detail, &one.status];
    let facts: Vec<_> = facts.into_iter().filter(|fact| !fact.is_empty()).cloned().collect();
    context! { place => &one.place, id => &one.id, facts }
}

/// What to do about the kinds that no alert above speaks of.
fn todo(brief: &Brief) -> Vec<Value> {
    let told =
        |kind: Kind| brief.lines.iter().any(|line| line.remedy.is_some() && line.metric == kind.name());
    let open = brief.numbers.iter().filter(|number| !told(number.kind));
    let entry = |number: &Number| {
        context! { kind => number.kind.name(), word => &number.word,
        remedy => brief.language.text(number.kind.info().remedy) }
    };
    open.map(entry).collect()
}

/// Whether a link may be one: anything else is shown as text.
fn is_web(link: &str) -> bool {
    link.starts_with("https://") || link.starts_with("http://")
}
