//! `report.html`: one page for a person, without scripts and without anything from elsewhere.
//!
//! The template holds the looks; here is what it is told. Every text that comes from data passes through [`visible`]
//! or [`exact`] here and is escaped once more by the template engine.

use super::RenderError;
use super::chart::{self, Chart};
use super::facts::{self, Group, Notable};
use super::text::{self, NOT_DECIDABLE, NOT_READ, exact, grouped, local, plural, visible};
use crate::model::run::{Backlog, Breach, Counts};
use crate::model::time::human;
use crate::model::{ConsumerReport, Difference, FlowReport, Kind, Outcome, Problem, Run, Verdict};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior, context};

/// At most this many ids of a kind are on the page; `differences.csv` has them all.
pub const IDS_MAX: usize = 200;
/// At most this many windows of a flow are listed in words; `windows.csv` has them all.
pub const WINDOWS_MAX: usize = 100;
/// Texts longer than this are cut in the middle.
const TEXT_MAX: usize = 400;

/// `.html.j2` makes the engine escape everything.
const TEMPLATE: (&str, &str) = ("report.html.j2", include_str!("report.html.j2"));

/// The page.
///
/// # Errors
///
/// Where template and program disagree: a fault of this program.
pub fn render(run: &Run) -> Result<String, RenderError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build()?);
    environment.add_template(TEMPLATE.0, TEMPLATE.1)?;
    Ok(environment.get_template(TEMPLATE.0)?.render(page(run))?)
}

fn page(run: &Run) -> Value {
    context! {
        head => head(run),
        tiles => tiles(run),
        problems => run.problems.iter().map(problem).collect::<Vec<_>>(),
        breaches => run.flows.iter().flat_map(breaches).collect::<Vec<_>>(),
        hints => run.flows.iter().flat_map(hints).collect::<Vec<_>>(),
        flows => run.flows.iter().map(|one| flow(one, run)).collect::<Vec<_>>(),
        groups => facts::groups(run, IDS_MAX).iter().map(|one| group(one, run)).collect::<Vec<_>>(),
        cut => cut(run),
    }
}

fn head(run: &Run) -> Value {
    let zone = run.time_zone;
    context! {
        outcome => run.outcome.name(),
        verdict => run.verdict.name(),
        exit_code => run.exit_code,
        complete => run.complete,
        tone => tone(run.verdict, run.outcome),
        sentence => facts::sentence(run),
        from => local(run.span.from, zone),
        until => local(run.span.until, zone),
        from_utc => run.span.from.to_rfc3339(),
        until_utc => run.span.until.to_rfc3339(),
        length => human(run.span.micros()),
        zone => zone.name(),
        as_of => local(run.as_of, zone),
        as_of_utc => run.as_of.to_rfc3339(),
        id => data(&run.id),
        version => data(&run.version),
    }
}

/// `good`, `warn` or `bad`: a colour that says no more than the words beside it.
fn tone(verdict: Verdict, outcome: Outcome) -> &'static str {
    match (verdict, outcome) {
        (Verdict::Fail, _) => "bad",
        (Verdict::Pass, Outcome::Balanced) => "good",
        _ => "warn",
    }
}

fn data(text: &str) -> String {
    exact(text, TEXT_MAX)
}

fn number(count: u64) -> String {
    grouped(count.cast_signed())
}

/// The numbers that come first: those that always matter, and the other differences that there are.
fn tiles(run: &Run) -> Vec<Value> {
    let unread = run.flows.iter().filter(|flow| flow.events.is_none()).count() as u64;
    let acked: u64 = run.flows.iter().filter_map(|flow| flow.events).map(|events| events.acked).sum();
    let mut tiles = vec![tile("acked", &number(acked), "plain", unread_note(unread, "producer"))];
    tiles.extend(facts::URGENCY.into_iter().filter_map(|kind| kind_tile(run, kind)));
    let ages = run.flows.iter().filter_map(|flow| flow.backlog?.oldest_age(run.as_of));
    if let Some(oldest) = ages.max() {
        tiles.push(tile("oldest pending", &text::age(oldest), "plain", String::new()));
    }
    tiles
}

fn kind_tile(run: &Run, kind: Kind) -> Option<Value> {
    let always = matches!(kind, Kind::Missing | Kind::Stuck | Kind::Duplicate | Kind::Orphan);
    let count = facts::counted(run, kind);
    if count == 0 && !always {
        return None;
    }
    let unread = if kind.is_of_producer() {
        run.flows.iter().filter(|flow| flow.events.is_none()).count()
    } else {
        run.flows.iter().flat_map(|flow| &flow.consumers).filter(|one| one.counts.is_none()).count()
    };
    let undecidable = run.flows.iter().flat_map(|flow| &flow.consumers);
    let undecidable =
        undecidable.filter(|one| one.counts.is_some() && one.not_decidable.contains(&kind)).count() as u64;
    let mut note = unread_note(unread as u64, if kind.is_of_producer() { "producer" } else { "consumer" });
    if undecidable > 0 {
        note = format!("{note}{}{NOT_DECIDABLE} at {}", separator(&note), plural(undecidable, "consumer"));
    }
    let tone = if count > 0 { "hit" } else { "plain" };
    Some(tile(kind.name(), &number(count), tone, note))
}

fn unread_note(unread: u64, noun: &str) -> String {
    if unread == 0 { String::new() } else { format!("without {} not read", plural(unread, noun)) }
}

fn separator(before: &str) -> &'static str {
    if before.is_empty() { "" } else { "; " }
}

fn tile(label: &str, value: &str, tone: &str, note: String) -> Value {
    context! { label, value, tone, note }
}

fn problem(problem: &Problem) -> Value {
    context! {
        source => data(&problem.source),
        flow => problem.flow.as_deref().map_or_else(|| "every flow".to_owned(), data),
        message => visible(&problem.message),
    }
}

fn breaches(flow: &FlowReport) -> impl Iterator<Item = Value> {
    let line = |breach: &Breach| {
        context! {
            level => breach.level.name(),
            tone => if breach.level == Verdict::Fail { "bad" } else { "warn" },
            flow => data(&flow.name),
            whose => breach.consumer.as_deref().map_or_else(|| "producer".to_owned(), data),
            metric => visible(&breach.metric),
            value => visible(&breach.value),
            bound => visible(&breach.bound),
        }
    };
    flow.breaches.iter().map(line)
}

fn hints(flow: &FlowReport) -> impl Iterator<Item = Value> {
    flow.hints.iter().map(|hint| context! { flow => data(&flow.name), text => visible(hint) })
}

fn flow(flow: &FlowReport, run: &Run) -> Value {
    let kinds = facts::telling_kinds(flow);
    let notable = facts::notable_windows(flow);
    context! {
        name => data(&flow.name),
        outcome => flow.outcome.name(),
        verdict => flow.verdict.name(),
        complete => flow.complete,
        tone => tone(flow.verdict, flow.outcome),
        empty => facts::is_empty(flow),
        producer => producer(flow),
        backlog => flow.backlog.filter(|backlog| backlog.count > 0).map(|one| backlog(&one, run)),
        backlog_known => flow.backlog.is_some(),
        notes => facts::producer_notes(flow),
        kinds => kinds.iter().map(|kind| kind.name()).collect::<Vec<_>>(),
        consumers => flow.consumers.iter().map(|one| consumer(one, &kinds, run)).collect::<Vec<_>>(),
        windows => notable.iter().take(WINDOWS_MAX).map(|one| window(one, run)).collect::<Vec<_>>(),
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
        notes => facts::notes(consumer),
        chart => counts.and_then(|counts| chart::chart(&counts.windows, &consumer.not_decidable, run.time_zone)).map(drawing),
    }
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

fn drawing(chart: Chart) -> Value {
    let [from, until] = chart.ends;
    let bar = |bar: chart::Bar| {
        let part = |part: chart::Part| context! { class => part.class, y => part.y, height => part.height };
        context! { title => bar.title, x => bar.x, parts => bar.parts.into_iter().map(part).collect::<Vec<_>>() }
    };
    context! {
        width => chart.width,
        height => chart::HEIGHT,
        step => chart::STEP,
        gap => if chart.bars.len() > 48 { 1 } else { 2 },
        peak => plural(chart.peak, "message"),
        windows_per_bar => chart.windows_per_bar,
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

fn group(group: &Group<'_>, run: &Run) -> Value {
    let info = group.kind.info();
    context! {
        name => info.name,
        meaning => info.meaning,
        cause => info.cause,
        remedy => info.remedy,
        total => number(group.total),
        shown => number(group.shown.len() as u64),
        all => group.shown.len() as u64 == group.total,
        rows => group.shown.iter().map(|one| difference(one, run)).collect::<Vec<_>>(),
    }
}

fn difference(difference: &Difference, run: &Run) -> Value {
    let seen = difference.first_seen;
    context! {
        id => difference.id.as_ref().map(|id| data(&id.to_string())),
        flow => data(&difference.flow),
        consumer => difference.consumer.as_deref().map(data),
        window => difference.window_from.map(|from| local(from, run.time_zone)),
        age => difference.age.map(text::age),
        first_seen => if seen == run.as_of { "this run".to_owned() } else { local(seen, run.time_zone) },
        detail => data(&difference.detail),
    }
}

fn cut(run: &Run) -> Option<Value> {
    let listed = run.differences.len() as u64;
    (listed < run.differences_total)
        .then(|| context! { listed => number(listed), total => number(run.differences_total) })
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    /// The page's tags without the values of their attributes: what a parser makes elements of.
    fn skeleton(page: &str) -> Vec<String> {
        let mut tags = Vec::new();
        let mut rest = page;
        while let Some(start) = rest.find('<') {
            let mut quoted = false;
            let mut tag = String::new();
            for c in rest[start..].chars() {
                quoted ^= c == '"';
                if !quoted {
                    tag.push(c);
                }
                if c == '>' && !quoted {
                    break;
                }
            }
            rest = &rest[start + 1..];
            tags.push(tag);
        }
        tags
    }

    /// `run` with nothing but plain letters in its texts.
    fn tamed(mut run: Run) -> Run {
        for flow in &mut run.flows {
            "plain".clone_into(&mut flow.name);
            flow.consumers.iter_mut().for_each(|one| "plain".clone_into(&mut one.name));
        }
        for one in &mut run.differences {
            "plain".clone_into(&mut one.flow);
            one.id = one.id.as_ref().map(|_| crate::model::Id::from_text("plain"));
            one.detail = one.detail.chars().map(|_| 'x').collect();
        }
        run.problems.iter_mut().for_each(|one| "plain".clone_into(&mut one.message));
        run
    }

    #[test]
    fn no_element_and_no_attribute_comes_from_data() {
        let page = render(&fixture::rich()).unwrap();
        assert_eq!(skeleton(&page), skeleton(&render(&tamed(fixture::rich())).unwrap()));
        for text in [
            "<script",
            "<img",
            "onload=alert(1)>\"",
            "<b>",
            "<i>event",
            "\u{1b}",
            "http:",
            "https:",
            " src=",
            "url(",
        ] {
            assert!(!page.contains(text), "{text}");
        }
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;") && page.contains("\\u{1b}[31mred"));
        assert!(page.contains("default-src 'none'"));
    }

    #[test]
    fn the_page_reads_like_this() {
        let page = render(&fixture::rich()).unwrap();
        let (head, rest) = page.split_once("<style>").unwrap();
        let (_, body) = rest.split_once("</style>").unwrap();
        insta::assert_snapshot!(format!("{head}{body}"));
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let page = render(&fixture::many(1_000)).unwrap();
        assert!(page.contains("Showing 200 of 1,000; all in differences.csv"));
        assert!(page.contains("8 windows share a bar"));
        assert_eq!(page.matches("class=\"id\"").count(), IDS_MAX);
        let empty = render(&fixture::empty()).unwrap();
        assert!(empty.contains("Nothing to compare: both sides are empty."));
    }

    #[test]
    fn dump() {
        let Ok(dir) = std::env::var("DUMP") else { return };
        for (name, run) in [
            ("rich", fixture::rich()),
            ("balanced", fixture::balanced()),
            ("many", fixture::many(1000)),
            ("empty", fixture::empty()),
        ] {
            std::fs::write(format!("{dir}/{name}.html"), render(&run).unwrap()).unwrap();
        }
    }
}
