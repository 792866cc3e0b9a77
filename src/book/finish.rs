//! From the books to the report: totals, what is not decidable, what kept the flow from being complete.

use super::consumer::ConsumerBook;
use super::{FlowBook, hints};
use crate::model::latency::Latency;
use crate::model::run::{ConsumerReport, Counts, FlowReport, Strategy};
use crate::model::{Difference, Kind, Micros, Outcome, Problem, Totals, Verdict, Window};
use crate::plan::{ConsumerRules, FlowRules};

/// What a flow's books come to.
#[derive(Debug)]
pub struct Finished {
    /// Not judged against thresholds yet.
    pub report: FlowReport,
    /// Sorted; as many as were kept.
    pub differences: Vec<Difference>,
    /// How many there are in all.
    pub differences_total: u64,
    /// Why the flow is not complete, if it is not.
    pub problems: Vec<Problem>,
    /// Latencies as they can be added to those of other slices, in the order of the consumers.
    pub latencies: Vec<Latency>,
    /// How far each window could be judged, in the order of the rules.
    pub firm: Vec<Firm>,
}

/// How far a window could be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Firm {
    /// To its last row.
    Whole,
    /// As far as it will ever be: receipts of its age may be purged, and no later run can know better.
    Lapsed,
    /// Not to its end; a later run may know better.
    Open,
}

impl FlowBook {
    /// Closes the books. Suspects that were never decided show up as a residual, and so as a problem.
    #[must_use]
    pub fn finish(self) -> Finished {
        let mut problems = self.event_problems();
        let (firm, events) = (self.firm(), self.events());
        let hints = hints::of_flow(&self);
        let differences_total = self.findings.total();
        let rules = &self.rules;
        let latencies = self
            .consumers
            .iter()
            .map(|book| book.as_ref().map_or_else(Latency::default, |book| book.latency.clone()))
            .collect();
        let consumers: Vec<_> = self
            .consumers
            .into_iter()
            .zip(&rules.consumers)
            .map(|(book, consumer)| consumer_report(book, rules, consumer, &mut problems))
            .collect();
        let complete = problems.is_empty() && consumers.iter().all(|consumer| consumer.complete);
        let report = FlowReport {
            name: rules.name.clone(),
            outcome: Outcome::of(differences_total, complete),
            complete,
            verdict: Verdict::Pass,
            events: Some(events),
            backlog: self.backlog,
            windows: rules.windows.iter().copied().zip(self.windows).collect(),
            consumers,
            acknowledged: Vec::new(),
            life: None,
            breaches: Vec::new(),
            hints,
        };
        Finished {
            report,
            differences: self.findings.into_sorted(),
            differences_total,
            problems,
            latencies,
            firm,
        }
    }

    /// A limit that was hit, a consumer that was not read, or books that do not balance leave no window whole.
    fn firm(&self) -> Vec<Firm> {
        let rules = &self.rules;
        let lame = !self.cut_short.is_empty()
            || !self.open.is_empty()
            || self.lost().is_some()
            || self.consumers.iter().any(|book| book.as_ref().is_none_or(ConsumerBook::is_lame));
        let of = |(place, window): (usize, &Window)| {
            let unseen = rules.events_fresh_until.is_some_and(|fresh| fresh < window.0.until);
            if lame || unseen || self.flaws[place] {
                return Firm::Open;
            }
            let consumers = self.consumers.iter().flatten().zip(&rules.consumers);
            consumers
                .map(|(book, consumer)| book.firm(place, window, rules, consumer))
                .max()
                .unwrap_or(Firm::Whole)
        };
        rules.windows.iter().enumerate().map(of).collect()
    }

    fn event_problems(&self) -> Vec<Problem> {
        let rules = &self.rules;
        let mut messages = self.cut_short.clone();
        messages.extend(self.lost().map(ToOwned::to_owned));
        let events = self.events();
        if events.unknown_state > 0 {
            messages.push(format!(
                "{} event(s) have a state that no rule names ({}): no verdict on them; add the state to `acked`, `pending` or `failed`",
                events.unknown_state,
                self.unknown_ids.join(", ")
            ));
        }
        if events.without_id > 0 {
            messages.push(format!(
                "{} event row(s) of the range have no usable id (NULL or not readable): no verdict on them; mend the rows or the `id` key",
                events.without_id
            ));
        }
        if events.unattributable > 0 && events.rows == 0 {
            messages.push(format!(
                "every event that was read ({}) has an unusable time, so that nothing was compared: is the `format` of the time columns right?",
                events.unattributable
            ));
        }
        if let Some(fresh) = rules.events_fresh_until.filter(|fresh| *fresh < rules.span.until) {
            messages.push(format!(
                "the event table's data reach only to {fresh}: what came after is not judged; run again when the replica has caught up"
            ));
        }
        if !self.open.is_empty() {
            messages
                .push(format!("{} event(s) that are not acked were read and not decided", self.open.len()));
        }
        let problem = |message| Problem {
            source: rules.events_source.clone(),
            flow: Some(rules.name.clone()),
            message,
        };
        messages.into_iter().map(problem).collect()
    }
}

fn consumer_report(
    book: Option<ConsumerBook>,
    rules: &FlowRules,
    consumer: &ConsumerRules,
    problems: &mut Vec<Problem>,
) -> ConsumerReport {
    let not_judged = ConsumerReport {
        name: consumer.name.clone(),
        outcome: Outcome::Incomplete,
        complete: false,
        strategy: Strategy::Stream,
        counts: None,
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    };
    let Some(book) = book else { return not_judged };
    let found = book.problems(rules, consumer);
    let complete = found.is_empty();
    problems.extend(found.into_iter().map(|message| Problem {
        source: consumer.source.clone(),
        flow: Some(rules.name.clone()),
        message: format!("consumer `{}`: {message}", consumer.name),
    }));
    let counts = book.counts(rules);
    ConsumerReport {
        outcome: Outcome::of(counts.totals.differences(), complete),
        complete,
        not_decidable: not_decidable(rules, consumer, &counts.totals),
        counts: Some(counts),
        ..not_judged
    }
}

/// Kinds that this layout cannot show. One that was found all the same is shown with its count.
fn not_decidable(rules: &FlowRules, consumer: &ConsumerRules, totals: &Totals) -> Vec<Kind> {
    let mut kinds = Vec::new();
    if consumer.receipt_ids_unique {
        kinds.push(Kind::Duplicate);
    }
    if rules.rows_vanish {
        kinds.push(Kind::Missing);
    }
    if rules.rows_vanish || !consumer.receipts_dated {
        kinds.push(Kind::Orphan);
    }
    if rules.late_after.is_some() && !consumer.receipts_dated {
        kinds.push(Kind::Late);
    }
    kinds.retain(|kind| totals.of(*kind) == 0);
    kinds
}

impl ConsumerBook {
    /// Whether something of this slice has no place in the books.
    fn is_lame(&self) -> bool {
        self.lost().is_some() || !self.suspects.is_empty() || self.receipts.residual(&self.totals()) != 0
    }

    fn firm(&self, place: usize, window: &Window, rules: &FlowRules, consumer: &ConsumerRules) -> Firm {
        let totals = &self.windows[place];
        let purged = consumer.retention.is_some_and(|kept| rules.as_of.since(window.0.from) > kept);
        let flawed = self.flaws[place] || totals.residual() != 0;
        match totals.unverifiable {
            0 if !flawed => Firm::Whole,
            1.. if !flawed && purged => Firm::Lapsed,
            _ => Firm::Open,
        }
    }

    fn totals(&self) -> Totals {
        let mut totals = Totals::default();
        self.windows.iter().for_each(|window| totals.merge(window));
        totals
    }

    fn counts(self, rules: &FlowRules) -> Counts {
        Counts {
            totals: self.totals(),
            receipts: self.receipts,
            latency: self.latency.seconds(),
            clock_skew_seconds: self.measured.then(|| self.latency.skew_seconds()),
            consumed_but_parked: self.parked,
            windows: rules.windows.iter().copied().zip(self.windows).collect(),
        }
    }

    fn problems(&self, rules: &FlowRules, consumer: &ConsumerRules) -> Vec<String> {
        let totals = self.totals();
        let mut messages: Vec<String> = self.lost().map(ToOwned::to_owned).into_iter().collect();
        if totals.unverifiable > 0 {
            messages.push(unverifiable(totals.unverifiable, rules, consumer));
        }
        if self.receipts.without_id > 0 {
            messages.push(format!(
                "{} receipt(s) of the range have no usable id (NULL, or a number that lost digits): no verdict on them; mend the rows or the `id` key",
                self.receipts.without_id
            ));
        }
        if self.undated > 0 {
            messages.push(format!(
                "{} receipt(s) of messages that the event table does not know have no usable time ({}): they belong to no range; mend the rows or the `format` of `consumed_at`",
                self.undated,
                self.undated_ids.join(", ")
            ));
        }
        if self.dead_without_id > 0 {
            messages.push(format!(
                "{} dead letter(s) have no usable id; mend the rows or the `id` key",
                self.dead_without_id
            ));
        }
        if self.beyond_events > 0 {
            messages.push(format!(
                "{} consumed message(s) have no event yet where the event table's replica does not reach: no verdict on them",
                self.beyond_events
            ));
        }
        let residual: i64 = self.windows.iter().map(|window| window.residual().abs()).sum();
        let receipts = self.receipts.residual(&totals);
        if residual != 0 || receipts != 0 || !self.suspects.is_empty() {
            messages.push(format!(
                "the books do not balance: {residual} acked message(s) and {receipts} receipt(s) without a place, {} suspect(s) undecided; run again, and report it if it stays",
                self.suspects.len()
            ));
        }
        messages
    }
}

fn unverifiable(count: u64, rules: &FlowRules, consumer: &ConsumerRules) -> String {
    let from = consumer.retention.map(|kept| rules.as_of.plus(-kept));
    let until =
        consumer.fresh_until.filter(|fresh| *fresh < rules.as_of).map(|fresh| fresh.plus(-rules.grace));
    let firm = |at: Option<Micros>, open: &str| at.map_or_else(|| open.to_owned(), |at| at.to_string());
    let lag = consumer.fresh_until.map_or_else(String::new, |fresh| {
        let behind = crate::model::time::human(rules.as_of.since(fresh));
        format!(" (its data reach to {fresh}, {behind} behind the as-of)")
    });
    format!(
        "{count} message(s) are unverifiable: results are firm for acks from {} until {}{lag}",
        firm(from, "the beginning"),
        firm(until, "the end of the range")
    )
}
