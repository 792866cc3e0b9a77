//! The configuration, checked: what the rest of the program may rely on.
//!
//! [`load`] reads a file and the environment and gives either a [`Config`] in which every name, zone, duration and
//! format is valid, or all the problems at once, each with file, line and key.

mod check;
mod hint;
mod interpolate;
mod load;
pub mod notify;
mod pace;
mod problem;
mod report;
mod secret;
#[cfg(test)]
mod tests;
mod tree;
mod wanted;

pub use check::threshold_metrics;
pub use load::{load, parse};
pub use notify::Notify;
pub use pace::{Guard, Pace, Pause};
pub use problem::{Problem, Problems};
pub use wanted::Wanted;

use crate::model::Micros;
use chrono_tz::Tz;
use secrecy::SecretString;
use std::collections::BTreeMap;

/// So many flows are read side by side unless somebody says otherwise.
pub const JOBS: usize = 4;
/// No more flows than this are read side by side.
pub const JOBS_MAX: usize = 64;

/// Everything a run needs to know.
#[derive(Clone, Debug)]
pub struct Config {
    /// What a run may take of memory, in bytes.
    pub max_memory: u64,
    /// So many flows are read side by side; each has an equal part of the memory.
    pub jobs: usize,
    /// Cuts the days and labels the reports.
    pub time_zone: Tz,
    /// msgrecon's own database.
    pub ledger: Ledger,
    /// The databases that hold sources, by name.
    pub databases: BTreeMap<String, Database>,
    /// In the order of the file.
    pub flows: Vec<Flow>,
    /// Whom to tell.
    pub notify: Notify,
    /// How somebody holds a run up.
    pub pause: Pause,
}

/// Where msgrecon keeps its own records.
#[derive(Clone, Debug)]
pub struct Ledger {
    /// `sqlite://…`, `postgres://…` or `mysql://…`.
    pub url: SecretString,
}

/// Which server speaks behind a URL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Dialect {
    /// `sqlite://path` (relative paths are taken from the configuration file's folder by [`load`]).
    Sqlite,
    /// `postgres://` or `postgresql://`.
    Postgres,
    /// `mysql://` or `mariadb://`.
    Mysql,
}

/// One database that holds sources. Its `Debug` shows no secret.
#[derive(Clone, Debug)]
pub struct Database {
    /// Its name in the configuration.
    pub name: String,
    /// By the URL's scheme.
    pub dialect: Dialect,
    /// With user and password.
    pub url: SecretString,
    /// What zone-less columns of this database mean.
    pub time_zone: Option<Tz>,
    /// After this many milliseconds the server cancels a statement. Default 60 s.
    pub statement_timeout_ms: u64,
    /// At the most this many connections. Default 4.
    pub max_connections: u32,
    /// A query for the instant up to which this (replica's) data reach.
    pub fresh_until: Option<String>,
    /// How flows with a side here are read, unless they say so themselves.
    pub strategy: Option<Wanted>,
    /// How gently it is read.
    pub pace: Pace,
}

/// One kind of message: its event table and the consumers that must see it.
#[derive(Clone, Debug)]
pub struct Flow {
    /// Unique among the flows.
    pub name: String,
    /// Length of a window in microseconds, at most a day; a day means the local day. Default 1 h.
    pub window: i64,
    /// How long after its ack a message may rightly be on its way, in microseconds. Default 15 min.
    pub grace: i64,
    /// A receipt later than this after the ack is `late`, in microseconds; `None`: nothing is late.
    pub late_after: Option<i64>,
    /// A pending event older than this is `stuck`, in microseconds. Default 10 min.
    pub stuck_after: i64,
    /// The span of judged windows that each scheduled run looks at again, in microseconds. Default 24 h.
    pub recheck: i64,
    /// Where scheduled runs begin.
    pub start: Option<Micros>,
    /// The producer's side.
    pub events: Events,
    /// The consumers' side, 1 to 64 of them.
    pub consumers: Vec<Consumer>,
    /// By metric name; metrics that are not named keep their default. Those for all flows are among them.
    pub thresholds: BTreeMap<String, Threshold>,
    /// Whose flow it is: who is told.
    pub owner: Option<String>,
    /// Where it is written what to do; messages link to it.
    pub runbook: Option<String>,
    /// How both sides are read; `None`: as their databases say.
    pub strategy: Option<Wanted>,
}

/// An event table, or a sharded set of them.
#[derive(Clone, Debug)]
pub struct Events {
    /// A key of [`Config::databases`].
    pub database: String,
    /// One, or one per shard.
    pub tables: Vec<Table>,
    /// A condition in the source's SQL that picks the flow's rows.
    pub filter: Option<String>,
    /// The message id.
    pub id: IdColumn,
    /// When the row was written.
    pub created_at: Option<TimeColumn>,
    /// When the broker confirmed it.
    pub acked_at: Option<TimeColumn>,
    /// Conditions in the source's SQL, in the order of the file; the first that fits gives the state.
    /// Empty: a row with an ack time is acked, one without is pending.
    pub states: Vec<(StateRule, String)>,
    /// A column that counts the relay's attempts.
    pub attempts: Option<String>,
    /// What becomes of the row after the ack.
    pub after_ack: AfterAck,
    /// It may be read from end to end, however large it is.
    pub allow_full_scan: bool,
}

/// Which state a rule gives.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StateRule {
    /// `acked = "…"`.
    Acked,
    /// `pending = "…"`.
    Pending,
    /// `failed = "…"`.
    Failed,
}

/// What becomes of an event row once the broker confirmed it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AfterAck {
    /// It stays, with its state: everything is decidable.
    Keep,
    /// It vanishes: `missing` and `orphan` are not decidable.
    Delete,
}

/// One consumer of a flow.
#[derive(Clone, Debug)]
pub struct Consumer {
    /// Unique in the flow.
    pub name: String,
    /// A key of [`Config::databases`].
    pub database: String,
    /// One dedup table, or one per shard.
    pub tables: Vec<Table>,
    /// The column that names the consumer.
    pub consumer_column: Option<String>,
    /// A condition in the source's SQL that picks the consumer's rows.
    pub filter: Option<String>,
    /// The message id.
    pub id: IdColumn,
    /// When it was consumed, by the consumer's clock.
    pub consumed_at: Option<TimeColumn>,
    /// Receipts older than this may be gone, in microseconds.
    pub retention: Option<i64>,
    /// Former names of this consumer in `consumer_column`.
    pub aliases: Vec<String>,
    /// A column that names the original id of a message that was re-driven under a new one; read like `id`.
    pub original_id: Option<IdColumn>,
    /// No receipts are expected of events before.
    pub since: Option<Micros>,
    /// No receipts are expected of events from here on.
    pub until: Option<Micros>,
    /// A condition on the *event table*: which of the flow's events this consumer must see.
    pub expects: Option<String>,
    /// What it gave up on.
    pub dead_letters: Option<DeadLetters>,
    /// Bounds of its own, by metric name; they go before the flow's.
    pub thresholds: BTreeMap<String, Threshold>,
    /// Its dedup tables may be read from end to end, however large they are.
    pub allow_full_scan: bool,
}

/// A consumer's dead-letter table.
#[derive(Clone, Debug)]
pub struct DeadLetters {
    /// A key of [`Config::databases`]; the consumer's unless set.
    pub database: String,
    /// The table.
    pub table: Table,
    /// A condition in the source's SQL.
    pub filter: Option<String>,
    /// The message id.
    pub id: IdColumn,
    /// When the consumer gave up.
    pub dead_at: Option<TimeColumn>,
    /// A condition in the source's SQL: written off by an operator.
    pub closed: Option<String>,
    /// A column that holds the reason.
    pub reason: Option<String>,
    /// It may be read from end to end, however large it is.
    pub allow_full_scan: bool,
}

/// A table's name, unquoted, in its parts: `["table"]` or `["schema", "table"]`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Table(pub Vec<String>);

impl std::fmt::Display for Table {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(&self.0.join("."))
    }
}

/// A column, or an expression in the source's SQL.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Expression {
    /// A column's unquoted name.
    Column(String),
    /// `{ sql = "…" }`, as it stands.
    Sql(String),
}

/// Where an id stands and how it is written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdColumn {
    /// Column or expression.
    pub expression: Expression,
    /// How it is written.
    pub encoding: IdEncoding,
}

/// How ids are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Default)]
pub enum IdEncoding {
    /// `text`: as it stands, byte by byte; numbers in plain decimal, a native uuid in lower case with dashes.
    #[default]
    Text,
    /// `integer`: a number; text is read as a number too, so that `007` and `7` are one id.
    Integer,
    /// `uuid`: any spelling of a UUID; what is no UUID is taken as text.
    Uuid,
    /// `uuid-bytes`: 16 bytes in network order.
    UuidBytes,
    /// `uuid-bytes-swapped`: MySQL's `UUID_TO_BIN(…, 1)`: time-high and time-mid first.
    UuidBytesSwapped,
    /// `uuid-bytes-le`: Microsoft's order, the first three fields little-endian.
    UuidBytesLe,
}

/// Where a time stands and how it is written there.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TimeColumn {
    /// Column or expression.
    pub expression: Expression,
    /// How it is written.
    pub format: TimeFormat,
    /// What the column means if it carries no zone; the database's zone where `None`.
    pub time_zone: Option<Tz>,
}

/// How times are written.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum TimeFormat {
    /// The server's own date-time types; on SQLite ISO 8601 text. A number under this format is an error.
    #[default]
    Native,
    /// `epoch-s`: seconds since 1970.
    EpochSeconds,
    /// `epoch-ms`: milliseconds since 1970.
    EpochMillis,
    /// `epoch-us`: microseconds since 1970.
    EpochMicros,
    /// `iso8601`: text, `T` or a blank between date and time, with or without offset and fraction.
    Iso8601,
    /// A chrono pattern, for example `%d/%m/%Y %H:%M:%S`.
    Pattern(String),
}

/// The bounds of one metric.
#[derive(Clone, Copy, Debug, PartialEq, Default)]
pub struct Threshold {
    /// At or above: warn.
    pub warn: Option<Bound>,
    /// At or above: fail.
    pub fail: Option<Bound>,
    /// A ratio bound counts only where at least this many messages were acked.
    pub min_volume: u64,
    /// An alert fires once its bound was reached so many windows in a row; 0 and 1: at once.
    pub hold: u64,
    /// An alert that fires is well again only below this; `None`: below its lower bound.
    pub clear: Option<Bound>,
}

/// One bound.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bound {
    /// `1`: a count.
    Count(u64),
    /// `"0.1%"`: of the acked messages; here as a fraction (0.001).
    Ratio(f64),
    /// `"10m"`: in microseconds.
    Duration(i64),
    /// `3.5`: robust deviations from the median.
    Score(f64),
}
