//! Alerts: a metric of a flow over its bound, from the run that first sees it to the run in which it is well again; and
//! the digest that tells of them.

use super::kind::Kind;
use super::run::{Outcome, Verdict};
use super::time::{Micros, Span};
use serde::{Deserialize, Serialize};

/// What an alert is about. Everything else about it may change; this is what it is known by.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct AlertKey {
    /// The flow's name.
    pub flow: String,
    /// `None` for the producer alone, and for what concerns the flow as a whole.
    pub consumer: Option<String>,
    /// The metric's name: that of a kind (`missing`), or another (`oldest_pending`, `incomplete`).
    pub metric: String,
}

/// Where an alert is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum AlertState {
    /// Over its bound, but not for as long as `for` asks.
    Pending,
    /// Over its bound.
    Firing,
    /// Well again.
    Cleared,
}

impl AlertState {
    /// As it stands in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Firing => "firing",
            Self::Cleared => "cleared",
        }
    }
}

/// An alert as the ledger keeps it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Alert {
    /// What it is about.
    pub key: AlertKey,
    /// Where it is in its life.
    pub state: AlertState,
    /// Of the bound that is reached now, or was last.
    pub level: Verdict,
    /// What was measured last, as text with its unit.
    pub value: String,
    /// The bound that is reached now, or was last, as text with its unit.
    pub bound: String,
    /// As-of of the run that first saw it over its bound.
    pub since: Micros,
    /// So many windows or runs in a row it has been over its bound; what `for` counts.
    pub held: u64,
    /// As-of of the run that last looked.
    pub seen_at: Micros,
    /// The begin of what was looked at when it was last over its bound: a shorter range does not clear it.
    pub seen_from: Micros,
    /// The end of what was looked at: an older range does not clear what a newer one has found.
    pub seen_until: Micros,
    /// As-of of the run that last told of it; `None` while nobody was told.
    pub told_at: Option<Micros>,
    /// The worst level that was told.
    pub told_level: Option<Verdict>,
    /// So many of what was told lay in windows that were not due yet: they are no news once their windows are judged.
    #[serde(default)]
    pub told_ahead: u64,
    /// As-of of the run that found it well again.
    pub cleared_at: Option<Micros>,
    /// What it is silenced by now: reason and end.
    pub silenced: Option<Silenced>,
}

/// Differences that are open and not acknowledged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Open {
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// What they are.
    pub kind: Kind,
    /// As-of of the run in which they became so.
    pub since: Micros,
    /// How many.
    pub count: u64,
}

/// Why nobody is told of an alert, and for how long.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Silenced {
    /// As the configuration gives it.
    pub reason: String,
    /// When it ends.
    pub until: Micros,
}

/// What happened to an alert that somebody is to be told.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Event {
    /// It fires, and nobody was told yet.
    New,
    /// It fires, and its level has risen from warn to fail.
    Raised,
    /// It fires, and messages have come to it.
    Grown,
    /// It still fires.
    Reminder,
    /// It is well again.
    Cleared,
}

impl Event {
    /// As it stands in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Raised => "raised",
            Self::Grown => "grown",
            Self::Reminder => "reminder",
            Self::Cleared => "cleared",
        }
    }
}

/// One line of a digest: an alert, and what happened to it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Notice {
    /// What happened.
    pub event: Event,
    /// The alert after it.
    pub alert: Alert,
    /// Of a kind of difference: so many open messages have become of this kind since somebody was last told.
    pub fresh: u64,
}

/// Why a digest is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Occasion {
    /// Something happened to an alert.
    Alert,
    /// Every run is told of.
    Report,
    /// Nothing has happened for so long that somebody may wonder whether msgrecon still runs.
    AllQuiet,
    /// Somebody tries out whether messages arrive.
    Test,
}

/// What one run has to tell one target, kept until it is delivered. Numbers and ids are in the run's report.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Digest {
    /// Stable: the same state is never told to the same target under another key. Letters, digits, `-`.
    pub key: String,
    /// The run that it tells of.
    pub run: String,
    /// The run's as-of.
    pub as_of: Micros,
    /// What the run judged.
    pub span: Span,
    /// Whose flows these are, where the target has one owner's.
    pub owner: Option<String>,
    /// The flows that it tells of, in the order of the configuration; not empty.
    pub flows: Vec<String>,
    /// Why it is sent.
    pub occasion: Occasion,
    /// What happened, worst first.
    pub notices: Vec<Notice>,
    /// All alerts that fire now, silenced ones included, worst first.
    pub firing: Vec<Alert>,
    /// Alerts that were cleared by this run or the one before.
    pub cleared: Vec<Alert>,
    /// Of these flows.
    pub outcome: Outcome,
    /// Of these flows.
    pub verdict: Verdict,
    /// Of these flows.
    pub complete: bool,
    /// How the run ended.
    pub exit_code: u8,
}

impl Digest {
    /// The status word that every subject and title begins with. `FAIL`, `WARN` and `INCOMPLETE` tell of the run, `RESOLVED`
    /// of alerts that are all well again, `OK` of a run that found nothing.
    #[must_use]
    pub fn status(&self) -> &'static str {
        let resolved = !self.notices.is_empty() && self.notices.iter().all(|one| one.event == Event::Cleared);
        let level =
            self.firing.iter().filter(|alert| alert.silenced.is_none()).map(|alert| alert.level).max();
        match (self.verdict.max(level.unwrap_or(Verdict::Pass)), self.complete) {
            (Verdict::Fail, _) => "FAIL",
            (_, false) => "INCOMPLETE",
            (Verdict::Warn, true) => "WARN",
            (Verdict::Pass, true) if resolved => "RESOLVED",
            (Verdict::Pass, true) => "OK",
        }
    }
}
