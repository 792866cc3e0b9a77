//! Configuration + request + as-of → a plan: a value that can be printed and tested, before anything is read.

pub mod strategy;

use crate::config::{AfterAck, Config, Consumer, Flow};
use crate::model::time::{MINUTE, human};
use crate::model::window::{cut, local_date, local_day, local_midnight};
use crate::model::{Micros, Span, Window};
use chrono::{DateTime, NaiveDate};
use chrono_tz::Tz;

/// A run cuts at the most this many windows per flow; a longer range is an error, not a shorter report.
pub const WINDOWS_MAX: usize = 100_000;

/// How far before the range receipts are read in the first pass: consumers whose clock is behind. Only a filter:
/// what it misses is looked up by id.
const RECEIPTS_BEFORE: i64 = 10 * MINUTE;

/// How far behind the range receipts are read at the least.
const RECEIPTS_AFTER_MIN: i64 = 10 * MINUTE;

/// Which range is asked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Request {
    /// One local day.
    Date(NaiveDate),
    /// From one end to the other, half-open.
    Range(Edge, Edge),
    /// The last so many microseconds before the as-of.
    Last(i64),
}

/// One end of a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Edge {
    /// The local midnight that begins this date.
    Date(NaiveDate),
    /// An instant.
    At(Micros),
}

impl Edge {
    /// The instant that it means in a time zone.
    #[must_use]
    pub fn instant(self, zone: Tz) -> Micros {
        match self {
            Self::Date(date) => local_midnight(date, zone),
            Self::At(at) => at,
        }
    }
}

impl std::str::FromStr for Edge {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if let Ok(date) = text.parse() {
            return Ok(Self::Date(date));
        }
        DateTime::parse_from_rfc3339(text).map(|at| Self::At(Micros(at.timestamp_micros()))).map_err(|_| {
            format!("`{text}` is neither a date (2026-03-02) nor an instant with its offset (2026-03-02T00:00:00+08:00)")
        })
    }
}

/// What a run will do.
#[derive(Clone, Debug)]
pub struct Plan {
    /// The one reading of the clock.
    pub as_of: Micros,
    /// What will be judged; its end is at most `as_of`.
    pub span: Span,
    /// Cuts the days.
    pub time_zone: Tz,
    /// In the order of the configuration.
    pub flows: Vec<FlowPlan>,
}

/// One flow's part.
#[derive(Clone, Debug)]
pub struct FlowPlan {
    /// From the configuration.
    pub flow: Flow,
    /// In time order, without overlap, tiling the span.
    pub windows: Vec<Window>,
    /// Where events are read.
    pub events: Span,
    /// Where receipts and dead letters are read in the first pass.
    pub receipts: Span,
}

/// Why no plan could be made.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
pub enum PlanError {
    /// Nothing of the range lies before the as-of.
    #[error(
        "the range {from} to {until} is empty before the as-of {as_of}: nothing at or after the as-of is judged; ask for an earlier range"
    )]
    Empty {
        /// Start of the range.
        from: Micros,
        /// End of the range.
        until: Micros,
        /// The as-of.
        as_of: Micros,
    },
    /// The range ends before it begins.
    #[error("the range {from} to {until} holds no time: its end must be later than its start")]
    Reversed {
        /// Start of the range.
        from: Micros,
        /// End of the range.
        until: Micros,
    },
    /// A flow of that name is not configured.
    #[error("no flow is named `{name}`; the configuration has: {known}")]
    UnknownFlow {
        /// What was asked for.
        name: String,
        /// What there is.
        known: String,
    },
    /// Too many windows.
    #[error(
        "flow `{flow}`: the range has more than {WINDOWS_MAX} windows of {window}; ask for a shorter range or set a longer `window`"
    )]
    TooManyWindows {
        /// The flow.
        flow: String,
        /// Its window.
        window: String,
    },
}

/// Makes the plan of a run over `request`, of all flows or of those named.
///
/// # Errors
/// An empty range, an unknown flow, too many windows.
pub fn plan(config: &Config, request: &Request, flows: &[String], as_of: Micros) -> Result<Plan, PlanError> {
    let asked = resolve(request, config.time_zone, as_of);
    if asked.is_empty() {
        return Err(PlanError::Reversed { from: asked.from, until: asked.until });
    }
    let span = Span::new(asked.from, asked.until.min(as_of));
    if span.is_empty() {
        return Err(PlanError::Empty { from: asked.from, until: asked.until, as_of });
    }
    let chosen = choose(config, flows)?;
    let flows =
        chosen.into_iter().map(|flow| flow_plan(flow, span, config.time_zone)).collect::<Result<_, _>>()?;
    Ok(Plan { as_of, span, time_zone: config.time_zone, flows })
}

fn resolve(request: &Request, zone: Tz, as_of: Micros) -> Span {
    match request {
        Request::Date(date) => local_day(*date, zone),
        Request::Range(from, until) => Span::new(from.instant(zone), until.instant(zone)),
        Request::Last(micros) => Span::new(as_of.plus(-micros), as_of),
    }
}

/// The local day before the one of `as_of`: what a run without a range looks at.
#[must_use]
pub fn yesterday(zone: Tz, as_of: Micros) -> Request {
    let today = local_date(as_of, zone);
    Request::Date(today.pred_opt().unwrap_or(today))
}

/// The flows of these names, or all.
///
/// # Errors
/// A name that no flow has.
pub fn choose<'c>(config: &'c Config, names: &[String]) -> Result<Vec<&'c Flow>, PlanError> {
    if let Some(name) = names.iter().find(|name| !config.flows.iter().any(|flow| flow.name == **name)) {
        let known: Vec<_> = config.flows.iter().map(|flow| flow.name.as_str()).collect();
        return Err(PlanError::UnknownFlow { name: name.clone(), known: known.join(", ") });
    }
    Ok(config.flows.iter().filter(|flow| names.is_empty() || names.contains(&flow.name)).collect())
}

/// Where scheduled runs of a new flow begin unless somebody says otherwise: the local midnight that began yesterday.
#[must_use]
pub fn yesterday_begins(zone: Tz, as_of: Micros) -> Micros {
    let today = local_date(as_of, zone);
    local_midnight(today.pred_opt().unwrap_or(today), zone)
}

impl FlowPlan {
    /// A flow with nothing to read yet.
    #[must_use]
    pub fn unread(flow: &Flow) -> Self {
        let nothing = Span::new(Micros(0), Micros(0));
        Self { flow: flow.clone(), windows: Vec::new(), events: nothing, receipts: nothing }
    }
}

/// One flow's part of a plan.
///
/// # Errors
/// Too many windows.
pub fn flow_plan(flow: &Flow, span: Span, zone: Tz) -> Result<FlowPlan, PlanError> {
    let windows = cut(span, flow.window, zone, WINDOWS_MAX + 1);
    if windows.len() > WINDOWS_MAX {
        return Err(PlanError::TooManyWindows { flow: flow.name.clone(), window: human(flow.window) });
    }
    let receipts = span.widened(RECEIPTS_BEFORE, flow.grace.max(RECEIPTS_AFTER_MIN));
    Ok(FlowPlan { flow: flow.clone(), windows, events: span, receipts })
}

/// The part of a run's memory that pairings may take: the rest is what the program and its connections are, slices on
/// their way, and a part of what was spilled while it is looked up.
pub const PAIRING_SHARE: u64 = 2;

/// How messages of a flow are judged: the pure part of its plan, with what the sources said of themselves.
#[derive(Clone, Debug)]
pub struct FlowRules {
    /// The flow's name.
    pub name: String,
    /// The one reading of the clock.
    pub as_of: Micros,
    /// What is judged.
    pub span: Span,
    /// In time order, tiling `span`.
    pub windows: Vec<Window>,
    /// See [`Flow::grace`].
    pub grace: i64,
    /// See [`Flow::late_after`].
    pub late_after: Option<i64>,
    /// See [`Flow::stuck_after`].
    pub stuck_after: i64,
    /// Rows vanish at the ack: what is not in the event table may have been there.
    pub rows_vanish: bool,
    /// No two event rows have the same id: a pair can be dropped from memory as soon as it is complete.
    pub event_ids_unique: bool,
    /// What the pairings of the flow may take of memory, in bytes.
    pub memory: u64,
    /// The database that holds the event table.
    pub events_source: String,
    /// How far the event table's data reach, where it is a replica that says so.
    pub events_fresh_until: Option<Micros>,
    /// In the order of the configuration.
    pub consumers: Vec<ConsumerRules>,
}

/// How messages are judged at one consumer.
#[derive(Clone, Debug)]
pub struct ConsumerRules {
    /// The consumer's name.
    pub name: String,
    /// The database that holds its receipts.
    pub source: String,
    /// No receipts are expected of events before.
    pub since: Option<Micros>,
    /// No receipts are expected of events from here on.
    pub until: Option<Micros>,
    /// Receipts older than this may be gone, in microseconds.
    pub retention: Option<i64>,
    /// No two receipts of the consumer have the same id: duplicates are invisible here.
    pub receipt_ids_unique: bool,
    /// Only events that fit a condition are expected.
    pub selective: bool,
    /// Receipts carry a time; without one an orphan belongs to no range.
    pub receipts_dated: bool,
    /// How far the receipts' data reach, where they are read from a replica that says so.
    pub fresh_until: Option<Micros>,
}

impl FlowRules {
    /// The rules of a planned flow, taking nothing for unique or fresh that its sources have not said.
    #[must_use]
    pub fn new(plan: &FlowPlan, as_of: Micros) -> Self {
        let flow = &plan.flow;
        Self {
            name: flow.name.clone(),
            as_of,
            span: plan.events,
            windows: plan.windows.clone(),
            grace: flow.grace,
            late_after: flow.late_after,
            stuck_after: flow.stuck_after,
            rows_vanish: flow.events.after_ack == AfterAck::Delete,
            event_ids_unique: false,
            memory: crate::model::memory::DEFAULT / PAIRING_SHARE,
            events_source: flow.events.database.clone(),
            events_fresh_until: None,
            consumers: flow.consumers.iter().map(ConsumerRules::new).collect(),
        }
    }
}

impl ConsumerRules {
    fn new(consumer: &Consumer) -> Self {
        Self {
            name: consumer.name.clone(),
            source: consumer.database.clone(),
            since: consumer.since,
            until: consumer.until,
            retention: consumer.retention,
            receipt_ids_unique: false,
            selective: consumer.expects.is_some(),
            receipts_dated: consumer.consumed_at.is_some(),
            fresh_until: None,
        }
    }

    /// Whether an event placed at `at` is owed to this consumer by its time.
    #[must_use]
    pub fn owes(&self, at: Micros) -> bool {
        self.since.is_none_or(|since| since <= at) && self.until.is_none_or(|until| at < until)
    }
}
