//! `report.html`: one page for a person, without scripts and without anything from elsewhere.
//!
//! The template holds the looks; here is what it is told. Every text that comes from data passes through [`visible`]
//! or [`exact`] here and is escaped once more by the template engine.

mod flow;
mod life;

use super::RenderError;
use super::facts::judged::{self, Nothing, nothing};
use super::facts::{self, Group};
use super::text::{self, NOT_DECIDABLE, exact, grouped, local, plural, visible};
use crate::model::run::Breach;
use crate::model::{ConsumerReport, Difference, FlowReport, Kind, Outcome, Problem, Run, Verdict};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior, context};

/// At most this many ids of a kind are on the page; `differences.csv` lists more.
pub const IDS_MAX: usize = 200;
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
    environment.set_syntax(
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?,
    );
    environment.add_template(TEMPLATE.0, TEMPLATE.1)?;
    Ok(environment.get_template(TEMPLATE.0)?.render(page(run))?)
}

fn page(run: &Run) -> Value {
    context! {
        head => head(run),
        changes => life::changes(run),
        kept => facts::life::is_kept(run),
        tiles => tiles(run),
        unread => unread(run),
        problems => run.problems.iter().map(problem).collect::<Vec<_>>(),
        breaches => run.flows.iter().flat_map(breaches).collect::<Vec<_>>(),
        hints => run.flows.iter().flat_map(hints).collect::<Vec<_>>(),
        flows => run.flows.iter().map(|one| flow::flow(one, run)).collect::<Vec<_>>(),
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
        windows => judged::chosen(run).map(|count| plural(count as u64, "window")),
        no_window => judged::chosen(run) == Some(0),
        from => local(run.span.from, zone),
        until => local(run.span.until, zone),
        from_utc => run.span.from.to_rfc3339(),
        until_utc => run.span.until.to_rfc3339(),
        length => text::length(run.span.micros()),
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

/// A sentence of its own: a capital in front, a full stop behind.
fn sentence(words: &str) -> String {
    let mut rest = words.chars();
    let first = rest.next().map(|first| first.to_ascii_uppercase());
    format!("{}{}.", first.map(String::from).unwrap_or_default(), rest.as_str())
}

fn number(count: u64) -> String {
    grouped(count.cast_signed())
}

/// The numbers that come first: those that always matter, and the other differences that there are. A run that came to
/// no window has counted nothing, and 0 would say that it had.
fn tiles(run: &Run) -> Vec<Value> {
    let mut tiles = if run.flows.iter().all(|flow| is_bare(flow, run)) { Vec::new() } else { counts(run) };
    let ages = run.flows.iter().filter_map(|flow| flow.backlog?.oldest_age(run.as_of));
    tiles.extend(ages.max().map(|oldest| tile("oldest pending", &text::age(oldest), "plain", None)));
    tiles
}

/// Whether the run came to no window of the flow, so that there is nothing to put into tables.
fn is_bare(flow: &FlowReport, run: &Run) -> bool {
    matches!(nothing(flow, run), Some(Nothing::Due | Nothing::Judged))
}

fn counts(run: &Run) -> Vec<Value> {
    let acked: u64 = run.flows.iter().filter_map(|flow| flow.events).map(|events| events.acked).sum();
    let acked = tile("acked", &number(acked), "plain", None);
    let kinds = facts::URGENCY.into_iter().filter_map(|kind| kind_tile(run, kind));
    std::iter::once(acked).chain(kinds).collect()
}

fn kind_tile(run: &Run, kind: Kind) -> Option<Value> {
    let always = matches!(kind, Kind::Missing | Kind::Stuck | Kind::Duplicate | Kind::Orphan);
    let count = facts::counted(run, kind);
    let blind = |one: &&ConsumerReport| one.counts.is_some() && one.not_decidable.contains(&kind);
    let blind = run.flows.iter().flat_map(|flow| &flow.consumers).filter(blind).count() as u64;
    let note = (blind > 0).then(|| format!("{NOT_DECIDABLE} at {}", plural(blind, "consumer")));
    let tone = if count > 0 { "hit" } else { "plain" };
    (count > 0 || always).then(|| tile(kind.name(), &number(count), tone, note))
}

/// What the numbers leave out, in words.
fn unread(run: &Run) -> Option<String> {
    let flows = || run.flows.iter().filter(|flow| !is_bare(flow, run));
    let producers = flows().filter(|flow| flow.events.is_none()).count() as u64;
    let consumers = flows().flat_map(|flow| &flow.consumers);
    let consumers = consumers.filter(|one| one.counts.is_none()).count() as u64;
    let parts = [(producers, "producer"), (consumers, "consumer")];
    let parts: Vec<_> =
        parts.iter().filter(|(count, _)| *count > 0).map(|(count, noun)| plural(*count, noun)).collect();
    (!parts.is_empty()).then(|| parts.join(" and "))
}

fn tile(label: &str, value: &str, tone: &str, note: Option<String>) -> Value {
    context! { label, value, tone, note }
}

fn problem(problem: &Problem) -> Value {
    context! { source => facts::problem_place(problem), message => visible(&problem.message) }
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

fn group(group: &Group<'_>, run: &Run) -> Value {
    let info = group.kind.info();
    context! {
        name => info.name,
        meaning => info.meaning,
        cause => info.cause,
        remedy => info.remedy,
        total => number(group.total),
        shown => number(group.shown.len() as u64),
        more => group.listed > group.shown.len() as u64,
        rows => group.shown.iter().map(|one| difference(one, run)).collect::<Vec<_>>(),
    }
}

fn difference(difference: &Difference, run: &Run) -> Value {
    let (seen, kept) = (difference.first_seen, facts::life::is_kept(run));
    context! {
        id => difference.id.as_ref().map(|id| data(&id.to_string())),
        flow => data(&difference.flow),
        consumer => difference.consumer.as_deref().map(data),
        window => difference.window_from.map(|from| local(from, run.time_zone)),
        age => difference.age.map(text::age),
        status => life::status(difference, run),
        first_seen => if seen == run.as_of { "this run".to_owned() } else { local(seen, run.time_zone) },
        detail => data(&difference.detail),
        found => (kept && difference.after_first_check).then_some(facts::life::FOUND_LATER),
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
        for one in
            run.flows.iter_mut().filter_map(|flow| flow.life.as_mut()).flat_map(|life| &mut life.healed)
        {
            one.consumer = one.consumer.as_ref().map(|_| "plain".to_owned());
            one.id = crate::model::Id::from_text("plain");
            one.evidence = one.evidence.chars().map(|_| 'x').collect();
        }
        let acknowledged = run.flows.iter_mut().flat_map(|flow| &mut flow.acknowledged);
        acknowledged.for_each(|one| one.consumer = one.consumer.as_ref().map(|_| "plain".to_owned()));
        run.problems.iter_mut().for_each(|one| "plain".clone_into(&mut one.message));
        run
    }

    #[test]
    fn no_element_and_no_attribute_comes_from_data() {
        let page = render(&fixture::rich()).unwrap();
        let plain = render(&tamed(fixture::rich())).unwrap();
        assert!(skeleton(&page) == skeleton(&plain), "hostile texts change the page's elements");
        for text in
            ["<script", "<img", "onload=alert(1)>\"", "<b>", "<i>event", "\u{1b}", "http:", "https:", "url("]
        {
            assert!(!page.contains(text), "{text}");
        }
        assert!(page.contains("&lt;img src=x onerror=alert(1)&gt;") && page.contains("\\u{1b}[31mred"));
        assert!(
            page.contains("=1 receipt &lt;script&gt;") && page.contains("its rows are gone\\u{a}\\u{1b}[31m")
        );
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
        assert!(page.contains("Showing 200 of 1,000; more in differences.csv"));
        assert!(page.contains("8 windows share a bar"));
        assert_eq!(page.matches("class=\"id\"").count(), IDS_MAX);
        let empty = render(&fixture::empty()).unwrap();
        assert!(empty.contains("Nothing to compare: both sides are empty."));
    }

    #[test]
    fn a_run_without_windows_reads_well() {
        let page = render(&fixture::nothing_due()).unwrap();
        let (_, body) = page.split_once("<body>").unwrap();
        insta::assert_snapshot!(body);
        for table in ["<table", "<svg", "Key numbers", "<h4>Producer"] {
            assert!(!body.contains(table), "{table}");
        }
    }

    #[test]
    fn a_run_with_gaps_says_how_many_windows_it_holds() {
        let page = render(&fixture::scheduled()).unwrap();
        assert!(page.contains("4 windows between <span class=\"t\">2026-11-01 00:00 -04:00</span>"));
        assert!(page.contains("This run holds 4 windows between 2026-11-01 00:00 -04:00 and "));
        assert!(page.contains("time between that the run did not judge is left out"));
    }
}
