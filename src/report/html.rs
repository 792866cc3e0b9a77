//! `report.html`: one page for a person, without scripts and without anything from elsewhere.
//!
//! The template holds the looks; here is what it is told. Every text that comes from data passes through [`visible`]
//! or [`exact`] here and is escaped once more by the template engine.

#[cfg(test)]
mod chinese;
mod flow;
mod life;
mod words;

use super::facts::judged::{self, Nothing, nothing};
use super::facts::{self, Group};
use super::text::{self, NOT_DECIDABLE, WINDOWS, exact, grouped, local, several, visible};
use super::{Options, RenderError};
use crate::language::Language;
use crate::model::run::Breach;
use crate::model::{ConsumerReport, Difference, FlowReport, Kind, Micros, Outcome, Problem, Run, Verdict};
use minijinja::syntax::SyntaxConfig;
use minijinja::value::Value;
use minijinja::{Environment, UndefinedBehavior, context};

/// At most this many ids of a kind are on the page; `differences.csv` lists more.
pub const IDS_MAX: usize = 200;
/// Texts longer than this are cut in the middle.
const TEXT_MAX: usize = 400;
/// How consumers are counted.
const CONSUMERS: [&str; 2] = ["{0} consumer", "{0} consumers"];

/// `.html.j2` makes the engine escape everything.
const TEMPLATE: (&str, &str) = ("report.html.j2", include_str!("report.html.j2"));

/// A run, and what its page is written in.
#[derive(Clone, Copy)]
struct View<'a> {
    run: &'a Run,
    language: Language,
}

impl View<'_> {
    /// An English text in the page's language.
    fn text<'t>(&self, english: &'t str) -> &'t str {
        self.language.text(english)
    }

    /// A sentence of its own.
    fn sentence(&self, words: &str) -> String {
        self.language.sentence(words)
    }

    /// A local time.
    fn local(&self, at: Micros) -> String {
        local(at, self.run.time_zone)
    }

    /// A duration.
    fn duration(&self, english: &str) -> String {
        self.language.duration(english).into_owned()
    }

    /// Evidence, hints and measured values, which the run keeps in English.
    fn said(&self, english: &str) -> String {
        self.language.say_again(english).into_owned()
    }

    /// A kind: its name in every file, and what it is in a language other than English.
    fn kind(&self, kind: Kind) -> Value {
        context! { name => kind.name(), word => facts::kind_word(kind, self.language) }
    }
}

/// The page, in the language of the options.
///
/// # Errors
///
/// Where template and program disagree: a fault of this program.
pub fn render(run: &Run, options: Options) -> Result<String, RenderError> {
    let mut environment = Environment::new();
    environment.set_undefined_behavior(UndefinedBehavior::Strict);
    environment.set_syntax(
        SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).keep_trailing_newline(true).build()?,
    );
    words::teach(&mut environment, options.language);
    environment.add_template(TEMPLATE.0, TEMPLATE.1)?;
    let view = View { run, language: options.language };
    Ok(environment.get_template(TEMPLATE.0)?.render(page(view))?)
}

fn page(view: View<'_>) -> Value {
    let run = view.run;
    context! {
        language => view.language.name(),
        gap => view.language.gap(),
        head => head(view),
        changes => life::changes(view),
        kept => facts::life::is_kept(run),
        tiles => tiles(view),
        unread => unread(view),
        problems => run.problems.iter().map(|one| problem(one, view)).collect::<Vec<_>>(),
        breaches => run.flows.iter().flat_map(|flow| breaches(flow, view)).collect::<Vec<_>>(),
        hints => run.flows.iter().flat_map(|flow| hints(flow, view)).collect::<Vec<_>>(),
        flows => run.flows.iter().map(|one| flow::flow(one, view)).collect::<Vec<_>>(),
        groups => facts::groups(run, IDS_MAX).iter().map(|one| group(one, view)).collect::<Vec<_>>(),
        cut => cut(run),
    }
}

fn head(view: View<'_>) -> Value {
    let View { run, language } = view;
    context! {
        outcome => view.text(run.outcome.name()),
        verdict => view.text(run.verdict.name()),
        exit_code => run.exit_code,
        complete => run.complete,
        partly => is_partial(run.complete, run.outcome),
        tone => tone(run.verdict, run.outcome),
        sentence => facts::sentence_in(run, language),
        windows => judged::chosen(run).map(|count| several(count as u64, WINDOWS, language)),
        no_window => judged::chosen(run) == Some(0),
        from => view.local(run.span.from),
        until => view.local(run.span.until),
        from_utc => run.span.from.to_rfc3339(),
        until_utc => run.span.until.to_rfc3339(),
        length => view.duration(&text::length(run.span.micros())),
        zone => run.time_zone.name(),
        as_of => view.local(run.as_of),
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

/// Whether something could not be judged, which the outcome does not say by itself.
fn is_partial(complete: bool, outcome: Outcome) -> bool {
    !complete && outcome != Outcome::Incomplete
}

fn data(text: &str) -> String {
    exact(text, TEXT_MAX)
}

fn number(count: u64) -> String {
    grouped(count.cast_signed())
}

/// The numbers that come first: those that always matter, and the other differences that there are. A run that came to
/// no window has counted nothing, and 0 would say that it had.
fn tiles(view: View<'_>) -> Vec<Value> {
    let run = view.run;
    let mut tiles = if run.flows.iter().all(|flow| is_bare(flow, run)) { Vec::new() } else { counts(view) };
    let ages = run.flows.iter().filter_map(|flow| flow.backlog?.oldest_age(run.as_of));
    let oldest = |age| tile(view.text("oldest pending"), &view.duration(&text::age(age)), "plain", None);
    tiles.extend(ages.max().map(oldest));
    tiles
}

/// Whether the run came to no window of the flow, so that there is nothing to put into tables.
fn is_bare(flow: &FlowReport, run: &Run) -> bool {
    matches!(nothing(flow, run), Some(Nothing::Due | Nothing::Judged))
}

fn counts(view: View<'_>) -> Vec<Value> {
    let flows = view.run.flows.iter();
    let acked: u64 = flows.filter_map(|flow| flow.events).map(|events| events.acked).sum();
    let acked = tile(view.text("acked"), &number(acked), "plain", None);
    let kinds = facts::URGENCY.into_iter().filter_map(|kind| kind_tile(view, kind));
    std::iter::once(acked).chain(kinds).collect()
}

fn kind_tile(view: View<'_>, kind: Kind) -> Option<Value> {
    let View { run, language } = view;
    let always = matches!(kind, Kind::Missing | Kind::Stuck | Kind::Duplicate | Kind::Orphan);
    let count = facts::counted(run, kind);
    let blind = |one: &&ConsumerReport| one.counts.is_some() && one.not_decidable.contains(&kind);
    let blind = run.flows.iter().flat_map(|flow| &flow.consumers).filter(blind).count() as u64;
    let note = || {
        let at = several(blind, CONSUMERS, language);
        language.fill("{0} at {1}", &[view.text(NOT_DECIDABLE), &at])
    };
    let note = (blind > 0).then(note);
    let tone = if count > 0 { "hit" } else { "plain" };
    let label = facts::kind_name(kind, language);
    (count > 0 || always).then(|| tile(&label, &number(count), tone, note))
}

/// What the numbers leave out, in words.
fn unread(view: View<'_>) -> Option<String> {
    let View { run, language } = view;
    let flows = || run.flows.iter().filter(|flow| !is_bare(flow, run));
    let producers = flows().filter(|flow| flow.events.is_none()).count() as u64;
    let consumers = flows().flat_map(|flow| &flow.consumers);
    let consumers = consumers.filter(|one| one.counts.is_none()).count() as u64;
    let parts = [(producers, ["{0} producer", "{0} producers"]), (consumers, CONSUMERS)];
    let parts = parts.into_iter().filter(|(count, _)| *count > 0);
    let parts: Vec<_> = parts.map(|(count, forms)| several(count, forms, language)).collect();
    (!parts.is_empty()).then(|| parts.join(view.text(" and ")))
}

fn tile(label: &str, value: &str, tone: &str, note: Option<String>) -> Value {
    context! { label, value, tone, note }
}

/// Its message quotes servers and configurations, and stays as it is.
fn problem(problem: &Problem, view: View<'_>) -> Value {
    context! { source => facts::problem_place_in(problem, view.language), message => visible(&problem.message) }
}

fn breaches<'a>(flow: &'a FlowReport, view: View<'a>) -> impl Iterator<Item = Value> {
    let producer = move || view.text("producer").to_owned();
    let line = move |breach: &Breach| {
        context! {
            level => view.text(breach.level.name()),
            tone => if breach.level == Verdict::Fail { "bad" } else { "warn" },
            flow => data(&flow.name),
            whose => breach.consumer.as_deref().map_or_else(producer, data),
            metric => visible(&breach.metric),
            value => visible(&view.said(&breach.value)),
            bound => visible(&view.said(&breach.bound)),
        }
    };
    flow.breaches.iter().map(line)
}

fn hints<'a>(flow: &'a FlowReport, view: View<'a>) -> impl Iterator<Item = Value> {
    let hint = move |hint: &String| context! { flow => data(&flow.name), text => visible(&view.said(hint)) };
    flow.hints.iter().map(hint)
}

fn group(group: &Group<'_>, view: View<'_>) -> Value {
    let info = group.kind.info();
    context! {
        name => facts::kind_name(group.kind, view.language),
        meaning => view.text(info.meaning),
        cause => view.text(info.cause),
        remedy => view.text(info.remedy),
        total => number(group.total),
        shown => number(group.shown.len() as u64),
        more => group.listed > group.shown.len() as u64,
        rows => group.shown.iter().map(|one| difference(one, view)).collect::<Vec<_>>(),
    }
}

fn difference(difference: &Difference, view: View<'_>) -> Value {
    let run = view.run;
    let (seen, kept) = (difference.first_seen, facts::life::is_kept(run));
    context! {
        id => difference.id.as_ref().map(|id| data(&id.to_string())),
        flow => data(&difference.flow),
        consumer => difference.consumer.as_deref().map(data),
        window => difference.window_from.map(|from| view.local(from)),
        age => difference.age.map(|age| view.duration(&text::age(age))),
        status => life::status(difference, view),
        first_seen => if seen == run.as_of { view.text("this run").to_owned() } else { view.local(seen) },
        detail => data(&view.said(&difference.detail)),
        found => (kept && difference.after_first_check).then(|| view.text(facts::life::FOUND_LATER)),
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
        let page = render(&fixture::rich(), Options::default()).unwrap();
        let plain = render(&tamed(fixture::rich()), Options::default()).unwrap();
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
        let page = render(&fixture::rich(), Options::default()).unwrap();
        let (head, rest) = page.split_once("<style>").unwrap();
        let (_, body) = rest.split_once("</style>").unwrap();
        insta::assert_snapshot!(format!("{head}{body}"));
        assert!(page.ends_with("</html>\n"));
    }

    #[test]
    fn long_lists_are_cut_and_say_so() {
        let page = render(&fixture::many(1_000), Options::default()).unwrap();
        assert!(page.contains("Showing 200 of 1,000; more in differences.csv"));
        assert!(page.contains("8 windows share a bar"));
        assert_eq!(page.matches("class=\"id\"").count(), IDS_MAX);
        let empty = render(&fixture::empty(), Options::default()).unwrap();
        assert!(empty.contains("Nothing to compare: both sides are empty."));
    }

    #[test]
    fn a_run_without_windows_reads_well() {
        let page = render(&fixture::nothing_due(), Options::default()).unwrap();
        let (_, body) = page.split_once("<body>").unwrap();
        insta::assert_snapshot!(body);
        for table in ["<table", "<svg", "Key numbers", "<h4>Producer"] {
            assert!(!body.contains(table), "{table}");
        }
    }

    #[test]
    fn a_run_with_gaps_says_how_many_windows_it_holds() {
        let page = render(&fixture::scheduled(), Options::default()).unwrap();
        assert!(page.contains("4 windows between <span class=\"t\">2026-11-01 00:00 -04:00</span>"));
        assert!(page.contains("This run holds 4 windows between 2026-11-01 00:00 -04:00 and "));
        assert!(page.contains("time between that the run did not judge is left out"));
    }
}
