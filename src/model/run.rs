//! A run's result: the one value that every report is made from.

use super::latency::LatencySeconds;
use super::life::{Acknowledged, FlowLife, LastRun, Status};
use super::tally::{EventTotals, Receipts, Totals};
use super::{Id, Kind, Micros, Span, Window};
use chrono_tz::Tz;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

/// What the counts make of a run, a flow or a consumer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Outcome {
    /// Everything was compared and nothing differs.
    Balanced,
    /// Something could not be judged, and nothing differs in the rest.
    Incomplete,
    /// Something differs.
    Differences,
}

impl Outcome {
    /// As it stands in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Balanced => "balanced",
            Self::Incomplete => "incomplete",
            Self::Differences => "differences",
        }
    }

    /// Differences come first, then incompleteness.
    #[must_use]
    pub fn of(differences: u64, complete: bool) -> Self {
        match (differences, complete) {
            (1.., _) => Self::Differences,
            (0, false) => Self::Incomplete,
            (0, true) => Self::Balanced,
        }
    }
}

/// What the thresholds make of the counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Below every bound.
    Pass,
    /// At or above a warn bound.
    Warn,
    /// At or above a fail bound.
    Fail,
}

impl Verdict {
    /// As it stands in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Pass => "pass",
            Self::Warn => "warn",
            Self::Fail => "fail",
        }
    }
}

/// A run and everything it found.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Run {
    /// Unique; given by the caller.
    pub id: String,
    /// msgrecon's version.
    pub version: String,
    /// The one reading of the clock.
    pub as_of: Micros,
    /// What was judged; its end is at most `as_of`.
    pub span: Span,
    /// Cuts the days and labels the windows.
    #[serde(serialize_with = "zone_name", deserialize_with = "zone_of_name")]
    pub time_zone: Tz,
    /// Whether the ledger chose the windows, or somebody a range.
    pub scheduled: bool,
    /// The run before, where the ledger knows one.
    pub last_run: Option<LastRun>,
    /// Differences first, then incompleteness.
    pub outcome: Outcome,
    /// Whether everything asked for was judged.
    pub complete: bool,
    /// The worst of the flows'.
    pub verdict: Verdict,
    /// See `exit`.
    pub exit_code: u8,
    /// In the order of the configuration.
    pub flows: Vec<FlowReport>,
    /// Sorted by flow, consumer, window, kind, id; at most [`Run::LISTED_MAX`] of them.
    pub differences: Vec<Difference>,
    /// How many there are in all.
    pub differences_total: u64,
    /// What kept the run from being complete.
    pub problems: Vec<Problem>,
}

impl Run {
    /// At most this many differences are kept with their ids; the counts know no limit.
    pub const LISTED_MAX: usize = 200_000;
}

/// One flow's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct FlowReport {
    /// Its name.
    pub name: String,
    /// Differences first, then incompleteness.
    pub outcome: Outcome,
    /// Whether the flow was judged completely.
    pub complete: bool,
    /// The worst of its breaches.
    pub verdict: Verdict,
    /// The producer's own counts; `None` where the event table could not be read.
    pub events: Option<EventTotals>,
    /// The pending events of the flow whatever their window; `None` where they could not be read.
    pub backlog: Option<Backlog>,
    /// The producer's own counts by window, in time order; without the rows that no usable time assigns to one.
    pub windows: Vec<(Window, EventTotals)>,
    /// In the order of the configuration.
    pub consumers: Vec<ConsumerReport>,
    /// What the verdict does not count; empty where no ledger is kept.
    pub acknowledged: Vec<Acknowledged>,
    /// What the ledger knows of the flow; `None` where none is kept.
    pub life: Option<FlowLife>,
    /// Bounds that were reached.
    pub breaches: Vec<Breach>,
    /// Likely causes, patterns, remarks: for a person.
    pub hints: Vec<String>,
}

/// The events that wait for the relay when the run looks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Backlog {
    /// All of them that have a usable creation time at or before the as-of, and those without one.
    pub count: u64,
    /// Creation time of the oldest.
    pub oldest: Option<Micros>,
    /// By age: see [`Backlog::AGES`].
    pub by_age: [u64; 5],
    /// Of `count`, those without a usable creation time.
    pub undated: u64,
    /// Of `count`, those older than `stuck_after` in windows that are not due yet, so that no window's count holds them.
    /// `None` where a run was asked for a range and looks at no other windows.
    #[serde(default)]
    pub stuck_ahead: Option<u64>,
}

impl Backlog {
    /// Upper ends (exclusive, in microseconds) and names of the ages.
    pub const AGES: [(i64, &'static str); 5] = [
        (super::time::MINUTE, "under 1m"),
        (10 * super::time::MINUTE, "1m to 10m"),
        (super::time::HOUR, "10m to 1h"),
        (super::time::DAY, "1h to 24h"),
        (i64::MAX, "24h and more"),
    ];

    /// Counts one pending event; one that was created after `as_of` is not there yet.
    pub fn add(&mut self, created: Option<Micros>, as_of: Micros) {
        let Some(created) = created else {
            self.count += 1;
            self.undated += 1;
            return;
        };
        let age = as_of.since(created);
        if age < 0 {
            return;
        }
        self.count += 1;
        self.oldest = Some(self.oldest.map_or(created, |oldest| oldest.min(created)));
        if let Some(place) = Self::AGES.iter().position(|(end, _)| age < *end) {
            self.by_age[place] += 1;
        }
    }

    /// Adds another table's.
    pub fn merge(&mut self, other: &Self) {
        self.count += other.count;
        self.undated += other.undated;
        self.oldest = [self.oldest, other.oldest].into_iter().flatten().min();
        self.by_age.iter_mut().zip(other.by_age).for_each(|(count, more)| *count += more);
    }

    /// Age of the oldest at `as_of`, in microseconds.
    #[must_use]
    pub fn oldest_age(&self, as_of: Micros) -> Option<i64> {
        self.oldest.map(|oldest| as_of.since(oldest))
    }
}

/// How both sides are read and compared.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Strategy {
    /// Both sides are read once and paired here.
    Stream,
    /// The same, with ids that the servers shorten.
    Packed,
    /// The servers add ids up in buckets; only buckets that differ are read. How long messages took is not known.
    Sketch,
}

impl Strategy {
    /// As it stands in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Stream => "stream",
            Self::Packed => "packed",
            Self::Sketch => "sketch",
        }
    }
}

/// One consumer's result.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct ConsumerReport {
    /// Its name.
    pub name: String,
    /// Differences first, then incompleteness.
    pub outcome: Outcome,
    /// Whether it was judged completely.
    pub complete: bool,
    /// How it was read.
    pub strategy: Strategy,
    /// The counts; `None` where the consumer (or its producer) could not be read: unknown is not 0.
    pub counts: Option<Counts>,
    /// Kinds that this layout cannot show: printed as "not decidable", never as 0.
    pub not_decidable: Vec<Kind>,
    /// Records in the dedup table under consumer names that the flow does not configure.
    pub other_consumers: Vec<(String, u64)>,
}

/// One consumer's counts.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Counts {
    /// Over the range.
    pub totals: Totals,
    /// The receipt rows.
    pub receipts: Receipts,
    /// From ack to receipt; `None` where nothing was measured.
    pub latency: Option<LatencySeconds>,
    /// The furthest that a receipt lay before its ack, in seconds; `None` where nothing was measured.
    pub clock_skew_seconds: Option<f64>,
    /// Consumed messages whose dead letter is still open.
    pub consumed_but_parked: u64,
    /// All windows of the range, in time order.
    pub windows: Vec<(Window, Totals)>,
}

impl Counts {
    /// Both residuals together; must be 0.
    #[must_use]
    pub fn residual(&self) -> i64 {
        let windows: i64 = self.windows.iter().map(|(_, totals)| totals.residual().abs()).sum();
        windows + self.receipts.residual(&self.totals).abs()
    }
}

/// One message at one consumer (or at the producer alone) whose kind needs somebody's attention.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Difference {
    /// The flow's name.
    pub flow: String,
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// Start of the window that the message belongs to; `None` where it belongs to none.
    pub window_from: Option<Micros>,
    /// What became of it.
    pub kind: Kind,
    /// `None` where the row has no usable id.
    pub id: Option<Id>,
    /// Of the event.
    pub created_at: Option<Micros>,
    /// Of the event.
    pub acked_at: Option<Micros>,
    /// The first receipt's.
    pub consumed_at: Option<Micros>,
    /// As-of minus the time that its kind counts from, in microseconds.
    pub age: Option<i64>,
    /// As-of of the first run that saw it.
    pub first_seen: Micros,
    /// Evidence in a few words: number of receipts and rows, the dead letter's reason, how late.
    pub detail: String,
    /// How the ledger knows it.
    pub status: Status,
    /// How many runs saw it.
    pub times_seen: u64,
    /// Whether its window had been judged without it: its row was committed late.
    pub after_first_check: bool,
}

/// What kept a run from being complete.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Problem {
    /// The database's name, or `-`.
    pub source: String,
    /// The flow's name; `None` where every flow is concerned.
    pub flow: Option<String>,
    /// What was wrong, and the next step. No secret is in it.
    pub message: String,
}

/// A bound that was reached.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Breach {
    /// The metric's name.
    pub metric: String,
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// Warn or fail.
    pub level: Verdict,
    /// What was measured, as text with its unit.
    pub value: String,
    /// The bound, as text with its unit.
    pub bound: String,
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes it so")]
fn zone_name<S: Serializer>(zone: &Tz, out: S) -> Result<S::Ok, S::Error> {
    out.serialize_str(zone.name())
}

fn zone_of_name<'de, D: Deserializer<'de>>(from: D) -> Result<Tz, D::Error> {
    String::deserialize(from)?.parse().map_err(serde::de::Error::custom)
}
