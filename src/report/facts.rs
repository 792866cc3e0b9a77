//! What every format says of the same numbers: names and order of the counts, groups of differences, windows worth a
//! line, notes. Nothing here knows how a format looks.

pub mod judged;
pub mod life;
mod sentence;

pub use sentence::{sentence, sentence_in};

use super::text::{MESSAGES, exact, several};
use crate::language::Language;
use crate::model::run::{Backlog, Counts};
use crate::model::tally::EventTotals;
use crate::model::{ConsumerReport, Difference, FlowReport, Kind, Problem, Run, Status, Totals, Window};

/// The names of a consumer's counts, in the order of every file.
pub const COUNT_NAMES: [&str; 16] = [
    "acked",
    "ok",
    "late",
    "duplicate",
    "dead_lettered",
    "discarded",
    "in_flight",
    "missing",
    "unverifiable",
    "orphan",
    "ack_lost",
    "duplicate_records",
    "ack_lost_records",
    "orphan_records",
    "consumed",
    "residual",
];

/// Differences in the order in which somebody should look at them.
pub const URGENCY: [Kind; 9] = [
    Kind::Missing,
    Kind::DeadLettered,
    Kind::Stuck,
    Kind::PublishFailed,
    Kind::Duplicate,
    Kind::Orphan,
    Kind::AckLost,
    Kind::Unattributable,
    Kind::Late,
];

/// How receipts are counted.
const RECEIPTS: [&str; 2] = ["{0} receipt", "{0} receipts"];

/// At most this many foreign consumer names are named in a note.
const OTHERS_NAMED_MAX: usize = 10;

/// The counts in the order of [`COUNT_NAMES`]; `None` where a kind in `undecidable` is concerned.
#[must_use]
pub fn count_values(totals: &Totals, undecidable: &[Kind]) -> [Option<i64>; 16] {
    let of = |kind: Kind, count: u64| (!undecidable.contains(&kind)).then_some(count.cast_signed());
    [
        Some(totals.acked.cast_signed()),
        of(Kind::Ok, totals.ok),
        of(Kind::Late, totals.late),
        of(Kind::Duplicate, totals.duplicate),
        of(Kind::DeadLettered, totals.dead_lettered),
        of(Kind::Discarded, totals.discarded),
        of(Kind::InFlight, totals.in_flight),
        of(Kind::Missing, totals.missing),
        of(Kind::Unverifiable, totals.unverifiable),
        of(Kind::Orphan, totals.orphan),
        of(Kind::AckLost, totals.ack_lost),
        of(Kind::Duplicate, totals.duplicate_records),
        of(Kind::AckLost, totals.ack_lost_records),
        of(Kind::Orphan, totals.orphan_records),
        Some(totals.consumed().cast_signed()),
        Some(totals.residual()),
    ]
}

/// The kinds that a consumer can have, in the order of the reports.
pub fn consumer_kinds() -> impl Iterator<Item = Kind> {
    Kind::ALL.into_iter().filter(|kind| !kind.is_of_producer())
}

/// The kinds that say something of at least one of the flow's consumers: counted, or not decidable.
#[must_use]
pub fn telling_kinds(flow: &FlowReport) -> Vec<Kind> {
    let tells = |consumer: &ConsumerReport, kind: Kind| {
        let counted = consumer.counts.as_ref().is_some_and(|counts| counts.totals.of(kind) > 0);
        counted || (consumer.counts.is_some() && consumer.not_decidable.contains(&kind))
    };
    consumer_kinds().filter(|kind| flow.consumers.iter().any(|consumer| tells(consumer, *kind))).collect()
}

/// Acked messages with at least one receipt, each once: counts that agree do not hide one lost and one repeated.
#[must_use]
pub fn distinct_consumed(totals: &Totals) -> u64 {
    totals.ok + totals.late + totals.duplicate
}

/// Whether both sides were read and neither holds anything in the range.
#[must_use]
pub fn is_empty(flow: &FlowReport) -> bool {
    let produced = flow.events.is_some_and(|events| events == EventTotals::default())
        && flow.backlog.is_none_or(|backlog| backlog.count == 0);
    let nothing = |counts: &Counts| {
        let receipts = counts.receipts;
        counts.totals.is_empty() && receipts.read == 0 && receipts.without_id == 0
    };
    produced && flow.consumers.iter().all(|consumer| consumer.counts.as_ref().is_some_and(nothing))
}

/// The differences of one kind, most urgent kind first.
pub struct Group<'a> {
    /// What they have in common.
    pub kind: Kind,
    /// The first of them.
    pub shown: Vec<&'a Difference>,
    /// How many the run lists.
    pub listed: u64,
    /// How many there are in all, listed or not.
    pub total: u64,
}

/// The run's differences by kind, at most `cap` of each, new ones before those that were known; one pass over the list.
#[must_use]
pub fn groups(run: &Run, cap: usize) -> Vec<Group<'_>> {
    let mut by_kind: Vec<([Vec<&Difference>; 2], u64)> = vec![Default::default(); Kind::ALL.len()];
    for difference in &run.differences {
        let (shown, listed) = &mut by_kind[difference.kind as usize];
        *listed += 1;
        let shown = &mut shown[usize::from(difference.status != Status::New)];
        if shown.len() < cap {
            shown.push(difference);
        }
    }
    let rest = Kind::ALL.into_iter().filter(|kind| !URGENCY.contains(kind));
    let ordered = URGENCY.into_iter().chain(rest);
    let group = |kind: Kind| {
        let (shown, listed) = std::mem::take(&mut by_kind[kind as usize]);
        // The list may have been cut; the counts never are.
        let counted = if kind.is_difference() { counted(run, kind) } else { 0 };
        let shown = shown.into_iter().flatten().take(cap).collect();
        Group { kind, shown, listed, total: listed.max(counted) }
    };
    ordered.map(group).filter(|group| group.total > 0).collect()
}

/// How often `kind` was counted in the whole run, as far as it could be read.
#[must_use]
pub fn counted(run: &Run, kind: Kind) -> u64 {
    let of_flow = |flow: &FlowReport| {
        let events = flow.events.map_or(0, |events| events.of(kind));
        let counts = flow.consumers.iter().filter_map(|consumer| consumer.counts.as_ref());
        events + counts.map(|counts| counts.totals.of(kind)).sum::<u64>()
    };
    run.flows.iter().map(of_flow).sum()
}

/// A window of one consumer that holds something other than `ok`.
pub struct Notable<'a> {
    /// Which.
    pub window: Window,
    /// Whose.
    pub consumer: &'a str,
    /// What it holds, without `ok`.
    pub counts: Vec<(Kind, u64)>,
}

/// All of them, in time order.
#[must_use]
pub fn notable_windows(flow: &FlowReport) -> Vec<Notable<'_>> {
    let mut found: Vec<_> = flow.consumers.iter().flat_map(notable_of).collect();
    found.sort_by_key(|notable| notable.window);
    found
}

fn notable_of(consumer: &ConsumerReport) -> impl Iterator<Item = Notable<'_>> {
    let windows = consumer.counts.as_ref().map_or(&[][..], |counts| &counts.windows);
    windows.iter().filter_map(|(window, totals)| {
        let counts = other_than_ok(totals, &consumer.not_decidable);
        let notable = Notable { window: *window, consumer: &consumer.name, counts };
        (!notable.counts.is_empty()).then_some(notable)
    })
}

/// The kinds besides `ok` that were counted and can be decided.
#[must_use]
pub fn other_than_ok(totals: &Totals, undecidable: &[Kind]) -> Vec<(Kind, u64)> {
    consumer_kinds()
        .filter(|kind| *kind != Kind::Ok && !undecidable.contains(kind))
        .map(|kind| (kind, totals.of(kind)))
        .filter(|(_, count)| *count > 0)
        .collect()
}

/// Whether every message has one verdict and every receipt one message, in words.
#[must_use]
pub fn books(counts: &Counts) -> String {
    books_in(counts, Language::En)
}

/// [`books`] in a language.
#[must_use]
pub fn books_in(counts: &Counts, language: Language) -> String {
    match counts.residual() {
        0 => language.text("books balance").to_owned(),
        residual => language.fill("books do not balance: residual {0}", &[&residual.to_string()]),
    }
}

/// Where a problem lies, in words.
#[must_use]
pub fn problem_place(problem: &Problem) -> String {
    problem_place_in(problem, Language::En)
}

/// [`problem_place`] in a language.
#[must_use]
pub fn problem_place_in(problem: &Problem, language: Language) -> String {
    let flow = problem.flow.as_deref().map(|flow| exact(flow, 60));
    match (problem.source.as_str(), flow) {
        ("-", None) => language.text("all flows").to_owned(),
        ("-", Some(flow)) => flow,
        (source, None) => exact(source, 60),
        (source, Some(flow)) => format!("{} · {flow}", exact(source, 60)),
    }
}

/// What else a person should know of a consumer.
#[must_use]
pub fn notes(consumer: &ConsumerReport) -> Vec<String> {
    notes_in(consumer, Language::En)
}

/// [`notes`] in a language.
#[must_use]
pub fn notes_in(consumer: &ConsumerReport, language: Language) -> Vec<String> {
    let receipts = consumer.counts.as_ref().map(|counts| counts.receipts).unwrap_or_default();
    let parked = consumer.counts.as_ref().map_or(0, |counts| counts.consumed_but_parked);
    let counted = [
        (parked, MESSAGES, "{0} consumed, with the dead letter still open: close it"),
        (receipts.undecidable, RECEIPTS, "{0} without an event: this layout cannot tell what they are"),
        (receipts.without_id, ["{0} receipt row", "{0} receipt rows"], "{0} without a usable id"),
    ];
    counted_notes(&counted, language).chain(other_consumers(consumer, language)).collect()
}

/// Counts that are not 0: how they are counted, and what is said of so many.
fn counted_notes(
    counted: &[(u64, [&str; 2], &str)],
    language: Language,
) -> impl Iterator<Item = String> + use<> {
    let counted = counted.iter().filter(|(count, ..)| *count > 0);
    let notes =
        counted.map(|(count, forms, note)| language.fill(note, &[&several(*count, *forms, language)]));
    notes.collect::<Vec<_>>().into_iter()
}

fn other_consumers(consumer: &ConsumerReport, language: Language) -> Option<String> {
    let others = &consumer.other_consumers;
    let named = others.iter().take(OTHERS_NAMED_MAX);
    let row =
        |(name, rows): &(String, u64)| language.fill("{0} ({1})", &[&exact(name, 60), &rows.to_string()]);
    let rows: Vec<_> = named.map(row).collect();
    let names = rows.join(language.text(", "));
    let [shown, all] = [rows.len(), others.len()].map(|count| count.to_string());
    match others.len() {
        0 => None,
        1..=OTHERS_NAMED_MAX => Some(language.fill("records under other consumer names: {0}", &[&names])),
        _ => {
            let cut = "records under other consumer names: {0}, showing {1} of {2}";
            Some(language.fill(cut, &[&names, &shown, &all]))
        }
    }
}

/// What else a person should know of the producer.
#[must_use]
pub fn producer_notes(flow: &FlowReport, language: Language) -> Vec<String> {
    let events = flow.events.unwrap_or_default();
    let undated = flow.backlog.map_or(0, |backlog| backlog.undated);
    let counted = [
        (events.unknown_state, MESSAGES, "{0} in a state that no rule of the configuration names"),
        (events.without_id, ["{0} event row", "{0} event rows"], "{0} without a usable id"),
        (events.ack_lost, MESSAGES, "{0} pending or failed, yet consumed"),
        (undated, ["{0} pending event", "{0} pending events"], "{0} without a usable creation time"),
    ];
    counted_notes(&counted, language).collect()
}

/// A kind by its name in every file, and beside it what it is in a language other than English.
#[must_use]
pub fn kind_name(kind: Kind, language: Language) -> String {
    let name = kind.name();
    kind_word(kind, language).map_or_else(|| name.to_owned(), |word| format!("{name} {word}"))
}

/// What a kind is in a language other than English.
#[must_use]
pub fn kind_word(kind: Kind, language: Language) -> Option<&'static str> {
    (language != Language::En).then(|| language.text(kind.name()))
}

/// The ages of the backlog that hold something.
pub fn backlog_ages(backlog: &Backlog) -> impl Iterator<Item = (&'static str, u64)> {
    Backlog::AGES.into_iter().map(|(_, name)| name).zip(backlog.by_age).filter(|(_, count)| *count > 0)
}

#[cfg(test)]
mod tests {
    use super::super::fixture;
    use super::*;

    #[test]
    fn every_difference_has_its_place_in_the_order() {
        for kind in Kind::ALL {
            assert_eq!(URGENCY.contains(&kind), kind.is_difference(), "{kind}");
        }
        let named: Vec<_> = consumer_kinds().map(Kind::name).collect();
        assert!(named.iter().all(|name| COUNT_NAMES.contains(name)));
    }

    #[test]
    fn groups_count_what_the_list_no_longer_holds() {
        let mut run = fixture::rich();
        run.differences.retain(|difference| difference.kind == Kind::Missing);
        let groups = groups(&run, 1);
        assert_eq!((groups[0].kind, groups[0].shown.len(), groups[0].total), (Kind::Missing, 1, 8));
        assert!(groups.iter().any(|group| group.kind == Kind::Stuck && group.shown.is_empty()));
    }

    #[test]
    fn a_cut_list_shows_what_is_new() {
        let mut run = fixture::many(40);
        run.differences.iter_mut().take(30).for_each(|one| one.status = Status::Open);
        let shown = |cap: usize| -> Vec<_> {
            groups(&run, cap)[0].shown.iter().map(|one| one.id.as_ref().unwrap().to_string()).collect()
        };
        assert_eq!(shown(12)[9..], ["m-0000039", "m-0000000", "m-0000001"]);
        assert_eq!((shown(2), shown(100).len()), (vec!["m-0000030".to_owned(), "m-0000031".to_owned()], 40));
    }
}
