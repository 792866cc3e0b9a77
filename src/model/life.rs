//! What the ledger adds to a run: which differences are new, which heal, how the days before were.

use super::{Id, Kind, Micros, Span};
use serde::{Deserialize, Serialize};

/// How the ledger knows a difference that a run lists.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Status {
    /// First seen since the last run.
    #[default]
    New,
    /// Known before, and still there.
    Open,
    /// Known, still there, and somebody has said so until some day: counted, and out of the verdict.
    Acknowledged,
    /// Nothing is left to repair: a message that was consumed late.
    Resolved,
}

impl Status {
    /// As it stands in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Open => "open",
            Self::Acknowledged => "acknowledged",
            Self::Resolved => "resolved",
        }
    }
}

/// The run that a run compares itself with.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct LastRun {
    /// Its id.
    pub id: String,
    /// Its as-of.
    pub as_of: Micros,
}

/// What the ledger knows of one flow once a run is recorded.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct FlowLife {
    /// Open differences first seen since the last run.
    pub new: u64,
    /// Open differences that the last run knew.
    pub still_open: u64,
    /// Open differences that are acknowledged; in neither of the two above.
    pub acknowledged: u64,
    /// Differences that healed since the last run.
    pub resolved: u64,
    /// Differences given up since the last run: the sources no longer hold the rows that could prove anything.
    pub expired: u64,
    /// Those that healed or were given up, the first [`FlowLife::HEALED_MAX`] by consumer and id.
    pub healed: Vec<Healed>,
    /// Every window of the flow up to here was judged.
    pub watermark: Option<Micros>,
    /// Windows that are due and wait for the next run, because this one had reached its limit or could not read.
    pub due: u64,
    /// Whether windows wait to be judged, and since when; `None` where nobody asked.
    #[serde(default)]
    pub overdue: Option<Overdue>,
    /// The last local day that was judged whole, and its weekdays before; `None` where there is none yet.
    #[serde(default)]
    pub volume: Option<Volume>,
    /// The last windows, oldest first; at most [`FlowLife::TREND`].
    pub windows: Vec<TrendPoint>,
    /// The last local days, oldest first; at most [`FlowLife::TREND`].
    pub days: Vec<TrendPoint>,
}

impl FlowLife {
    /// At most so many healed differences are listed.
    pub const HEALED_MAX: usize = 1_000;
    /// So many windows and days make a trend.
    pub const TREND: usize = 30;
}

/// Windows that wait to be judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Overdue {
    /// When the oldest of them was due: its end and the longer of `grace` and `stuck_after`. `None`: none waits.
    pub since: Option<Micros>,
}

/// How many messages a day had, and how many are usual.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Volume {
    /// The day.
    pub day: Span,
    /// Messages acked in it.
    pub acked: u64,
    /// The same of the same weekday in the weeks before, oldest first; only of days that were judged whole.
    pub usual: Vec<u64>,
}

/// A difference that is none any more.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Healed {
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// The message.
    pub id: Id,
    /// What it was.
    pub kind: Kind,
    /// Start of its window.
    pub window_from: Option<Micros>,
    /// As-of of the run that first saw it.
    pub first_seen: Micros,
    /// Given up, not healed.
    pub expired: bool,
    /// Why: consumed, acked, its rows gone …
    pub evidence: String,
}

/// One window or day of a trend.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TrendPoint {
    /// Which.
    pub span: Span,
    /// Whether all of it was judged completely.
    pub complete: bool,
    /// Messages acked in it, each once.
    pub acked: u64,
    /// Missing and dead-lettered ones, at all consumers.
    pub lost: u64,
    /// All other differences.
    pub other: u64,
}

/// How many of a flow's differences of one kind are acknowledged: the thresholds do not count them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Acknowledged {
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// Which kind.
    pub kind: Kind,
    /// How many.
    pub count: u64,
}
