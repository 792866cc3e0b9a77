//! What every message says, whatever carries it: words and exact numbers in the language of the target.
//!
//! Every text that comes from data has been through [`visible`] or [`exact`](crate::report::text::exact): it is one line
//! without control characters. Markup is escaped by whoever writes markup.

mod advice;
mod changes;
mod coverage;
mod line;
mod numbers;
mod part;
mod shell;
mod span;
mod subject;
mod top;

pub use changes::Change;
pub use coverage::{Coverage, Freshness};
pub use line::Line;
pub use numbers::{Number, counted_text};
pub use part::part;
pub use shell::quote;
pub use top::{Group, Listed, Top};

use super::Surroundings;
use crate::language::Language;
use crate::model::alert::Event;
use crate::model::{Digest, Run, Verdict};
use crate::report::text::visible;

/// A colour or symbol that says no more than the words beside it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// Nothing to do.
    Good,
    /// Somebody should look.
    Warn,
    /// Somebody must look.
    Bad,
}

impl Tone {
    /// For templates.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Good => "good",
            Self::Warn => "warn",
            Self::Bad => "bad",
        }
    }

    fn of_status(status: &str) -> Self {
        match status {
            "FAIL" => Self::Bad,
            "WARN" | "INCOMPLETE" => Self::Warn,
            _ => Self::Good,
        }
    }

    /// A level's.
    #[must_use]
    pub fn of(level: Verdict) -> Self {
        match level {
            Verdict::Pass => Self::Good,
            Verdict::Warn => Self::Warn,
            Verdict::Fail => Self::Bad,
        }
    }
}

/// What every message says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Brief {
    /// What it is written in.
    pub language: Language,
    /// `FAIL`, `WARN`, `INCOMPLETE`, `RESOLVED` or `OK`: the same in every language, for filters.
    pub status: &'static str,
    /// The status in a word of the language.
    pub status_word: String,
    /// Of the status.
    pub tone: Tone,
    /// Whose flows: the only one's name, or the owner, or the first and how many more.
    pub name: String,
    /// One line: status, name, numbers, span. For subjects and titles; nothing of it is cut.
    pub subject: String,
    /// Numbers in a line, exact: `12 missing, 3 duplicate / 1,234,567 acked`.
    pub headline: String,
    /// Why it is sent, where that is neither an alert nor the report: all quiet, or a test.
    pub occasion: Option<String>,
    /// The kinds of differences that the run found in these flows, most urgent first; none that is 0.
    pub numbers: Vec<Number>,
    /// Messages acked in these flows; `None` where no event table could be read.
    pub acked: Option<u64>,
    /// What was judged: local times with their offset.
    pub span: String,
    /// When the run looked, local time with its offset.
    pub as_of: String,
    /// The run's id.
    pub run: String,
    /// What happened to alerts, worst first: one for each notice of the digest.
    pub lines: Vec<Line>,
    /// Everything that fires now, worst first, silenced ones included.
    pub firing: Vec<Line>,
    /// So many of `firing` are silenced.
    pub silenced: u64,
    /// New, still open, resolved … since the last run; empty where no ledger is kept.
    pub changes: Vec<Change>,
    /// What `changes` compares with.
    pub compared: Option<String>,
    /// How much of what was asked could be judged, and how fresh it is.
    pub coverage: Coverage,
    /// Differences that are acknowledged: counted, and out of `numbers`.
    pub acknowledged: u64,
    /// Some of the differences.
    pub top: Top,
    /// The command that runs this range again; `None` where nothing was due.
    pub rerun: Option<String>,
    /// Where the full report is, or how to get it.
    pub report: String,
    /// Runbooks of these flows: flow and link.
    pub runbooks: Vec<(String, String)>,
}

/// Everything that a message about this digest says. The run may hold more flows than the digest: nothing is told of them.
#[must_use]
pub fn brief(run: &Run, digest: &Digest, around: &Surroundings, language: Language) -> Brief {
    let run = &*part(run, digest);
    let told = Told { run, digest, around, language };
    let status = digest.status();
    let numbers = numbers::numbers(&told);
    let firing: Vec<_> = digest.firing.iter().map(|alert| line::firing(alert, &told)).collect();
    Brief {
        language,
        status,
        status_word: numbers::status_word(status, language),
        tone: Tone::of_status(status),
        name: subject::name(&told),
        subject: subject::subject(&told, &numbers),
        headline: subject::headline(&told, &numbers),
        occasion: subject::occasion(&told),
        acked: numbers::acked(run),
        acknowledged: numbers::acknowledged(run),
        numbers,
        span: span::span(&told),
        as_of: span::at(run.as_of, &told),
        run: visible(&run.id),
        lines: digest.notices.iter().map(|notice| line::notice(notice, &told)).collect(),
        silenced: firing.iter().filter(|line| line.silenced.is_some()).count() as u64,
        firing,
        changes: changes::changes(&told),
        compared: changes::compared(&told),
        coverage: coverage::coverage(&told),
        top: top::top(&told),
        rerun: shell::rerun(&told),
        report: shell::report(&told),
        runbooks: runbooks(&told),
    }
}

impl Brief {
    /// Whether something new happened that somebody must look at, and not only that something is well again.
    #[must_use]
    pub fn is_new_trouble(&self) -> bool {
        self.lines.iter().any(|line| line.event.is_some_and(|event| event != Event::Cleared))
    }
}

/// What a message is made from.
struct Told<'a> {
    /// The digest's flows alone.
    run: &'a Run,
    digest: &'a Digest,
    around: &'a Surroundings,
    language: Language,
}

fn runbooks(told: &Told<'_>) -> Vec<(String, String)> {
    let known = told.around.runbooks.iter().filter(|(flow, _)| told.digest.flows.contains(flow));
    known.map(|(flow, link)| (visible(flow), visible(link))).collect()
}

#[cfg(test)]
mod tests;
