//! How much of what was asked could be judged, and how fresh it is.

use super::{Told, counted_text};
use crate::model::{FlowReport, Kind, Problem};
use crate::report::facts::judged::windows;
use crate::report::facts::life::{due_in, watermark_in};
use crate::report::facts::problem_place_in;
use crate::report::text::{age, exact, grouped, visible};

/// Longer messages of problems are cut; the report has them whole.
const PROBLEM_MAX: usize = 600;
const NAME_MAX: usize = 80;

/// What was judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Coverage {
    /// Whether everything asked for was judged.
    pub complete: bool,
    /// The same in a sentence, with the number of windows.
    pub text: String,
    /// What kept it from being complete, one line each.
    pub problems: Vec<String>,
    /// Producers and consumers that could not be read: `order-paid`, `order-paid → sms`.
    pub unread: Vec<String>,
    /// In the order of the digest's flows.
    pub flows: Vec<Freshness>,
}

/// How far a flow is judged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Freshness {
    /// The flow's name.
    pub flow: String,
    /// What is known, in parts: judged until when, windows that wait, the oldest event that waits for the relay.
    pub parts: Vec<String>,
}

pub(super) fn coverage(told: &Told<'_>) -> Coverage {
    let judged: usize = told.run.flows.iter().map(|flow| windows(flow).len()).sum();
    let judged = grouped(i64::try_from(judged).unwrap_or(i64::MAX));
    let complete = told.digest.complete;
    let text = match (complete, judged.as_str()) {
        (true, "0") => told.language.text("Complete: no window was due.").to_owned(),
        (true, "1") => told.language.text("Complete: 1 window was judged.").to_owned(),
        (true, _) => told.language.fill("Complete: {0} windows were judged.", &[&judged]),
        (false, _) => told.language.fill("Incomplete: windows judged: {0}; see the problems.", &[&judged]),
    };
    Coverage {
        complete,
        text,
        problems: told.run.problems.iter().map(|one| problem(one, told)).collect(),
        unread: told.run.flows.iter().flat_map(unread).collect(),
        flows: told.run.flows.iter().map(|flow| freshness(flow, told)).collect(),
    }
}

/// Where, and what was wrong; messages of sources stay in their own language.
fn problem(problem: &Problem, told: &Told<'_>) -> String {
    let place = problem_place_in(problem, told.language);
    told.language.fill("{0}: {1}", &[&place, &exact_message(&problem.message)])
}

fn exact_message(message: &str) -> String {
    let shown = visible(message);
    if shown.chars().count() <= PROBLEM_MAX { shown } else { exact(message, PROBLEM_MAX) }
}

fn unread(flow: &FlowReport) -> Vec<String> {
    let name = exact(&flow.name, NAME_MAX);
    let producer = flow.events.is_none().then(|| name.clone());
    let consumers = flow.consumers.iter().filter(|consumer| consumer.counts.is_none());
    let consumers = consumers.map(|consumer| format!("{name} → {}", exact(&consumer.name, NAME_MAX)));
    producer.into_iter().chain(consumers).collect()
}

fn freshness(flow: &FlowReport, told: &Told<'_>) -> Freshness {
    let mut parts = Vec::new();
    if let Some(life) = &flow.life {
        parts.push(watermark_in(life, told.run.time_zone, told.language));
        parts.extend(due_in(life.due, told.language));
    }
    let backlog = flow.backlog.filter(|backlog| backlog.count > 0);
    if let Some(backlog) = backlog {
        let count = grouped(backlog.count.cast_signed());
        parts.push(match backlog.oldest_age(told.run.as_of) {
            Some(oldest) => told
                .language
                .fill("{0} pending, the oldest for {1}", &[&count, &told.language.duration(&age(oldest))]),
            None => counted_text(Kind::Pending, backlog.count, told.language),
        });
    }
    Freshness { flow: exact(&flow.name, NAME_MAX), parts }
}
