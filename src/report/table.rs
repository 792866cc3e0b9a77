//! The report for a terminal: the outcome first, then each flow, then the differences with what to do.

mod differences;

use self::differences::{cut_list, group_lines};
use super::Options;
use super::facts::judged::{self, nothing};
use super::facts::{self, life};
use super::text::{self, NOT_DECIDABLE, NOT_READ, exact, fill, fill_parts, local, visible};
use crate::model::latency::LatencySeconds;
use crate::model::run::{Breach, Counts};
use crate::model::{ConsumerReport, FlowReport, Kind, Outcome, Run, Verdict};
use comfy_table::{CellAlignment, Table, presets};

/// At most this many windows of a flow get a line.
pub const WINDOWS_MAX: usize = 20;
/// At most this many ids of a kind are shown.
pub const IDS_MAX: usize = 10;
/// Ids, names and evidence longer than this are cut in the middle.
const TEXT_MAX: usize = 60;

/// The run as text, ending in a newline.
#[must_use]
pub fn render(run: &Run, options: Options) -> String {
    let mut out = head(run, options);
    section(&mut out, problems(run, options));
    for flow in &run.flows {
        section(&mut out, flow_lines(flow, run, options));
    }
    for group in facts::groups(run, IDS_MAX) {
        section(&mut out, group_lines(&group, run, options));
    }
    section(&mut out, cut_list(run));
    out.join("\n") + "\n"
}

/// Appends `lines` behind a blank line, if there are any.
fn section(out: &mut Vec<String>, lines: Vec<String>) {
    if !lines.is_empty() {
        out.push(String::new());
        out.extend(lines);
    }
}

fn head(run: &Run, options: Options) -> Vec<String> {
    let complete = if run.complete { "complete" } else { "incomplete" };
    let outcome = run.outcome.name().to_uppercase();
    let status = format!("{outcome} · verdict {} · exit {} · {complete}", run.verdict.name(), run.exit_code);
    let mut lines = vec![tinted(&status, run.verdict, run.outcome, options), facts::sentence(run)];
    lines.extend(range(run));
    let as_of = local(run.as_of, run.time_zone);
    lines.push(format!("as of {as_of} · run {} · msgrecon {}", visible(&run.id), run.version));
    let last =
        run.last_run.as_ref().map(|last| format!("last run as of {}", local(last.as_of, run.time_zone)));
    let last = last.unwrap_or_else(|| "first run of the ledger".to_owned());
    lines.extend(life::is_kept(run).then_some(last));
    lines
}

/// From when until when, in local time and in UTC; where a ledger chose the windows, how many they are.
fn range(run: &Run) -> Vec<String> {
    let (from, until) = (local(run.span.from, run.time_zone), local(run.span.until, run.time_zone));
    let (zone, utc) = (run.time_zone.name(), format!("{} until {} · UTC", run.span.from, run.span.until));
    match judged::chosen(run) {
        None => vec![format!("{from} until {until} · {zone} · {}", text::length(run.span.micros())), utc],
        Some(0) => vec![format!("no window · {zone}")],
        Some(many) => {
            vec![format!("{} between {from} and {until} · {zone}", text::plural(many as u64, "window")), utc]
        }
    }
}

/// `line` in the colour of what it says; without colours it says the same.
fn tinted(line: &str, verdict: Verdict, outcome: Outcome, options: Options) -> String {
    let code = match (verdict, outcome) {
        (Verdict::Fail, _) => 31,
        (Verdict::Pass, Outcome::Balanced) => 32,
        _ => 33,
    };
    if options.colour { format!("\u{1b}[1;{code}m{line}\u{1b}[0m") } else { line.to_owned() }
}

fn problems(run: &Run, options: Options) -> Vec<String> {
    let mut lines = Vec::new();
    if !run.problems.is_empty() {
        let count = text::plural(run.problems.len() as u64, "problem");
        lines.push(tinted(&count, Verdict::Warn, Outcome::Incomplete, options));
    }
    for problem in &run.problems {
        let line = format!("{}: {}", facts::problem_place(problem), visible(&problem.message));
        lines.push(fill(&line, 2, options.width.into()));
    }
    lines
}

fn name(text: &str) -> String {
    exact(text, TEXT_MAX)
}

fn flow_lines(flow: &FlowReport, run: &Run, options: Options) -> Vec<String> {
    let partly = !flow.complete && flow.outcome != Outcome::Incomplete;
    let complete = if partly { " · incomplete" } else { "" };
    let title =
        format!("{} · {} · verdict {}{complete}", name(&flow.name), flow.outcome.name(), flow.verdict.name());
    let mut lines = vec![tinted(&title, flow.verdict, flow.outcome, options)];
    let width = usize::from(options.width);
    lines.extend(judged::chosen_of(flow, run).map(|words| fill(&words, 2, width)));
    let nothing = nothing(flow, run);
    lines.extend(nothing.map(|why| format!("  {}", why.words())));
    lines.extend(remembered(flow, run, options));
    if nothing.is_some() {
        lines.extend(flow.backlog.and_then(|_| backlog(flow, run, options)));
    } else {
        lines.extend(producer(flow, run, options));
        lines.extend(consumers(flow, options));
    }
    lines.extend(life::acknowledged(flow).map(|words| fill(&words, 2, width)));
    lines.extend(flow.breaches.iter().map(|breach| fill(&breach_line(breach), 2, width)));
    lines.extend(flow.hints.iter().map(|hint| fill(&format!("hint: {}", visible(hint)), 2, width)));
    lines.extend(windows(flow, run));
    lines
}

/// What the ledger remembers of a flow.
fn remembered(flow: &FlowReport, run: &Run, options: Options) -> Vec<String> {
    let Some(known) = &flow.life else { return Vec::new() };
    let judged = [Some(life::watermark(known, run.time_zone)), life::due(known.due)];
    let judged: Vec<_> = judged.into_iter().flatten().collect();
    let width = usize::from(options.width);
    vec![fill(&life::changes_line(known, run), 2, width), fill_parts(&judged, 2, width)]
}

fn producer(flow: &FlowReport, run: &Run, options: Options) -> Vec<String> {
    let Some(events) = flow.events else { return vec![format!("  producer: {NOT_READ}")] };
    let always = [
        (events.acked, "acked"),
        (events.pending, "pending"),
        (events.stuck, "stuck"),
        (events.publish_failed, "publish_failed"),
    ];
    let further = [
        (events.ack_lost, "ack_lost"),
        (events.unattributable, "unattributable"),
        (events.unknown_state, "unknown state"),
        (events.without_id, "without id"),
    ];
    let told = always.into_iter().chain(further.into_iter().filter(|(count, _)| *count > 0));
    let parts = told.map(|(count, name)| format!("{count} {name}"));
    let mut lines = vec![labelled("producer", parts.collect(), options)];
    lines.extend(backlog(flow, run, options));
    lines
}

/// `label: one · two`, broken between the parts.
fn labelled(label: &str, mut parts: Vec<String>, options: Options) -> String {
    if let Some(first) = parts.first_mut() {
        first.insert_str(0, &format!("{label}: "));
    }
    fill_parts(&parts, 2, options.width.into())
}

fn backlog(flow: &FlowReport, run: &Run, options: Options) -> Option<String> {
    let Some(backlog) = flow.backlog else { return Some(format!("  backlog: {NOT_READ}")) };
    let mut parts = vec![format!("{} pending", backlog.count)];
    parts.extend(backlog.oldest_age(run.as_of).map(|age| format!("oldest {}", text::age(age))));
    parts.extend(facts::backlog_ages(&backlog).map(|(age, count)| format!("{age}: {count}")));
    if backlog.undated > 0 {
        parts.push(format!("without a usable time: {}", backlog.undated));
    }
    (backlog.count > 0).then(|| labelled("backlog", parts, options))
}

/// A table where something differs and it fits, else a line for each consumer.
fn consumers(flow: &FlowReport, options: Options) -> Vec<String> {
    let tells = flow.outcome != Outcome::Balanced && flow.consumers.iter().any(|one| one.counts.is_some());
    let table = tells.then(|| consumer_table(flow));
    let fits = |line: &str| {
        line.chars().map(|c| 1 + usize::from(c >= '\u{1100}' && c != '…' && c != '─')).sum::<usize>()
    };
    let table = table.filter(|lines| lines.iter().all(|line| fits(line) <= usize::from(options.width)));
    let listed = table.is_none();
    let mut lines = table.unwrap_or_default();
    for consumer in &flow.consumers {
        lines.extend(consumer_lines(consumer, listed, options));
    }
    lines
}

fn consumer_table(flow: &FlowReport) -> Vec<String> {
    let kinds = facts::telling_kinds(flow);
    let mut table = Table::new();
    table.load_style(presets::UTF8_HORIZONTAL_ONLY);
    table.style_mut().header_separator = presets::UTF8_HORIZONTAL_ONLY.top_border;
    table.style_mut().row_separator = presets::NOTHING.row_separator;
    let titles = ["consumer", "acked", "consumed"].into_iter().chain(kinds.iter().map(|kind| kind.name()));
    table.set_header(titles.chain(["residual"]).collect::<Vec<_>>());
    for consumer in &flow.consumers {
        table.add_row(consumer_cells(consumer, &kinds));
    }
    for column in table.column_iter_mut().skip(1) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table.lines().map(|line| format!(" {}", line.trim_end())).collect()
}

fn consumer_cells(consumer: &ConsumerReport, kinds: &[Kind]) -> Vec<String> {
    let Some(counts) = &consumer.counts else {
        let unknown = kinds.iter().map(|_| "?".to_owned());
        let start = [name(&consumer.name), "?".to_owned(), NOT_READ.to_owned()];
        return start.into_iter().chain(unknown).chain(["?".to_owned()]).collect();
    };
    let start = [name(&consumer.name), counts.totals.acked.to_string(), consumed(counts)];
    let cells = kinds.iter().map(|kind| kind_cell(consumer, counts, *kind));
    start.into_iter().chain(cells).chain([counts.residual().to_string()]).collect()
}

fn kind_cell(consumer: &ConsumerReport, counts: &Counts, kind: Kind) -> String {
    if consumer.not_decidable.contains(&kind) {
        NOT_DECIDABLE.to_owned()
    } else {
        counts.totals.of(kind).to_string()
    }
}

fn consumed(counts: &Counts) -> String {
    format!("{} of {}", facts::distinct_consumed(&counts.totals), counts.totals.acked)
}

/// The lines under the table, or in its place.
fn consumer_lines(consumer: &ConsumerReport, listed: bool, options: Options) -> Vec<String> {
    let label = name(&consumer.name);
    let Some(counts) = &consumer.counts else {
        return if listed { vec![format!("  {label}: {NOT_READ}")] } else { Vec::new() };
    };
    let received = counts.receipts.read.saturating_sub(counts.receipts.outside);
    let sums = vec![
        format!("consumed {} distinct", consumed(counts)),
        format!("{received} receipts"),
        facts::books(counts),
    ];
    let kinds = if listed { kinds_of(consumer, counts).collect() } else { Vec::new() };
    let skew = counts.clock_skew_seconds.filter(|skew| *skew > 0.0);
    let skew = skew.map(|skew| format!("clock skew {}", text::seconds(skew)));
    let timing = counts.latency.map(latency).into_iter().chain(skew).collect();
    let mut lines = vec![labelled(&label, sums, options)];
    let width = usize::from(options.width);
    lines.extend(
        [kinds, timing].iter().filter(|parts| !parts.is_empty()).map(|parts| fill_parts(parts, 4, width)),
    );
    lines.extend(facts::notes(consumer).iter().map(|note| fill(note, 4, width)));
    lines
}

fn kinds_of(consumer: &ConsumerReport, counts: &Counts) -> impl Iterator<Item = String> {
    let told = |kind: &Kind| counts.totals.of(*kind) > 0 || consumer.not_decidable.contains(kind);
    facts::consumer_kinds().filter(told).map(|kind| format!("{kind} {}", kind_cell(consumer, counts, kind)))
}

fn latency(latency: LatencySeconds) -> String {
    let LatencySeconds { p50, p95, p99, max } = latency;
    let [p50, p95, p99, max] = [p50, p95, p99, max].map(text::seconds);
    format!("latency p50 {p50}, p95 {p95}, p99 {p99}, max {max}")
}

fn breach_line(breach: &Breach) -> String {
    let whose = breach.consumer.as_deref().map_or_else(|| "the producer".to_owned(), name);
    let (metric, value, bound) = (visible(&breach.metric), visible(&breach.value), visible(&breach.bound));
    format!("{}: {metric} of {whose} is {value}, bound {bound}", breach.level.name())
}

fn windows(flow: &FlowReport, run: &Run) -> Vec<String> {
    let notable = facts::notable_windows(flow);
    if notable.is_empty() || flow.outcome == Outcome::Balanced {
        return Vec::new();
    }
    let shown = notable.len().min(WINDOWS_MAX);
    let mut lines = vec![format!("  windows that hold more than ok, showing {shown} of {}:", notable.len())];
    for one in &notable[..shown] {
        let counts: Vec<_> = one.counts.iter().map(|(kind, count)| format!("{kind} {count}")).collect();
        let at = local(one.window.0.from, run.time_zone);
        lines.push(format!("    {at}  {}: {}", name(one.consumer), counts.join(", ")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn a_rich_run_is_told_whole() {
        insta::assert_snapshot!(render(&fixture::rich(), Options { width: 170, ..Options::default() }));
    }

    #[test]
    fn a_narrow_terminal_gets_lists() {
        insta::assert_snapshot!(render(&fixture::rich(), Options { width: 60, ..Options::default() }));
    }

    #[test]
    fn a_balanced_run_is_short_and_an_empty_one_says_so() {
        insta::assert_snapshot!(render(&fixture::balanced(), Options::default()));
        let empty = render(&fixture::empty(), Options::default());
        assert!(empty.contains("nothing to compare: both sides are empty"), "{empty}");
    }

    #[test]
    fn runs_of_the_ledger_say_which_windows_they_hold() {
        let [some, none] =
            [fixture::scheduled(), fixture::nothing_due()].map(|run| render(&run, Options::default()));
        insta::assert_snapshot!(format!("{some}\n----\n\n{none}"));
    }

    #[test]
    fn without_a_ledger_nothing_is_said_of_it() {
        let mut run = fixture::rich();
        run.flows[0].life = None;
        run.flows[0].acknowledged.clear();
        run.last_run = None;
        let text = render(&run, Options::default());
        for word in [
            "since the last run",
            "last run as of",
            "first run",
            "without a gap",
            " new ",
            "open since",
            "due and",
        ] {
            assert!(!text.contains(word), "{word}: {text}");
        }
    }

    #[test]
    fn colour_adds_nothing_but_colour_and_data_cannot_steer_the_terminal() {
        let plain = render(&fixture::rich(), Options::default());
        let colour = render(&fixture::rich(), Options { colour: true, ..Options::default() });
        let bare = ["1;31m", "1;32m", "1;33m", "0m"]
            .iter()
            .fold(colour, |text, code| text.replace(&format!("\u{1b}[{code}"), ""));
        assert_eq!(bare, plain);
        assert!(!plain.chars().any(|c| c.is_control() && c != '\n'), "{plain:?}");
    }
}
