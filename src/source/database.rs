//! One database that holds sources: its sessions, and the one way in which statements are run.

mod answer;
mod link;
mod sessions;

use answer::{describe, stream};
pub(super) use sessions::Sessions;

use super::cell::{Cell, ColumnType, Fields, Kind};
use super::decode::time::{TimeReader, Undeclared};
use super::error::{ErrorKind, Failure, SourceError};
use super::gate::{Gate, Pass, Pause};
use super::retry::Patience;
use super::sql::{Statement, Value};
use super::{mysql, postgres, sqlite};
use crate::clock::Stopwatch;
use crate::config::{self, Dialect, TimeFormat};
use crate::connect;
use crate::model::event::Stamp;
use crate::model::{Micros, Span};
use chrono_tz::Tz;
use secrecy::ExposeSecret as _;
use std::fmt;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

/// How long the client waits beyond the server's own limit before it takes the connection for dead.
const GRACE: Duration = Duration::from_secs(10);
/// How long to wait for a connection.
pub(super) const CONNECT: Duration = Duration::from_secs(30);
/// A database whose fastest statement took so long is far away ...
const FAR: Duration = Duration::from_millis(5);
/// ... and asked for so many tables of a side at the same time. Near, each further session costs it more than the waiting.
const TABLES_AT_ONCE: usize = 4;
/// The client's limit where no other is set.
const LONGEST: Duration = Duration::from_hours(24);

/// Read-only sessions in UTC. Cheap to clone.
#[derive(Clone)]
pub struct Database(Arc<Inner>);

struct Inner {
    name: String,
    place: String,
    dialect: Dialect,
    time_zone: Option<Tz>,
    fresh_until: Option<String>,
    limit: Duration,
    pace: config::Pace,
    gate: Gate,
    sessions: AnySessions,
    link: link::Once,
    /// What the fastest statement took so far, in microseconds.
    fastest: AtomicU64,
}

/// The sessions on one of the servers.
pub(super) enum AnySessions {
    Sqlite(Sessions<sqlx::Sqlite>),
    Postgres(Sessions<sqlx::Postgres>),
    Mysql(Sessions<sqlx::MySql>),
}

/// Sessions, and where they lead: `user@host:port/name`.
pub(super) struct Opened {
    pub place: String,
    pub sessions: Result<AnySessions, Failure>,
}

/// What a driver has to know beyond running statements.
pub(super) trait Server: sqlx::Database {
    /// Where to, as whom, and what to ask of the session.
    type Login: Send + Sync;

    /// Connects, and proves that the session is read-only and in UTC.
    fn start(login: &Self::Login) -> impl Future<Output = Result<Self::Connection, sqlx::Error>> + Send;
    /// What a column's values look like.
    fn column_type(info: &Self::TypeInfo) -> ColumnType;
    /// A value of a row.
    fn cell(row: &Self::Row, index: usize, kind: Kind) -> Cell<'_>;
    /// Binds a value.
    fn bind(arguments: &mut Self::Arguments, value: &Value) -> Result<(), sqlx::error::BoxDynError>;
}

impl Database {
    /// Connects and proves that the sessions are read-only and in UTC.
    ///
    /// # Errors
    /// If the database cannot be reached, refuses the account, or does not promise to be read-only.
    pub async fn connect(config: &config::Database) -> Result<Self, SourceError> {
        Self::connect_under(config, &Pause::default()).await
    }

    /// The same for a run that somebody may hold up: no statement starts while the pause lasts.
    ///
    /// # Errors
    /// As for [`Self::connect`], or if the pause lasts too long.
    pub async fn connect_under(config: &config::Database, pause: &Pause) -> Result<Self, SourceError> {
        let wrong = |failure: Failure| failure.at(&config.name, "", None);
        connect::check(config.url.expose_secret()).map_err(|text| wrong(Failure::configuration(text)))?;
        pause.wait().await.map_err(wrong)?;
        let mut patience = Patience::new();
        loop {
            let opened = match config.dialect {
                Dialect::Sqlite => sqlite::open(config).await,
                Dialect::Postgres => postgres::open(config).await,
                Dialect::Mysql => mysql::open(config).await,
            };
            let outcome = opened.sessions.map_err(|failure| failure.at(&config.name, &opened.place, None));
            if let Some(sessions) = patience.with(outcome).await? {
                return Ok(Self::new(config, opened.place, sessions, pause));
            }
        }
    }

    fn new(config: &config::Database, place: String, sessions: AnySessions, pause: &Pause) -> Self {
        let limit = match config.statement_timeout_ms {
            0 => LONGEST,
            milliseconds => Duration::from_millis(milliseconds) + GRACE,
        };
        Self(Arc::new(Inner {
            name: config.name.clone(),
            place,
            dialect: config.dialect,
            time_zone: config.time_zone,
            fresh_until: config.fresh_until.clone(),
            limit,
            pace: config.pace.clone(),
            gate: Gate::new(config, pause),
            sessions,
            link: link::Once::default(),
            fastest: AtomicU64::new(u64::MAX),
        }))
    }

    /// Its name in the configuration.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// Which server it is.
    #[must_use]
    pub fn dialect(&self) -> Dialect {
        self.0.dialect
    }

    /// How gently it is read.
    #[must_use]
    pub fn pace(&self) -> &config::Pace {
        &self.0.pace
    }

    /// For how long in all statements were held up before or after they ran: by a pause, a guard or the throttle.
    #[must_use]
    pub fn waited(&self) -> Duration {
        self.0.gate.waited()
    }

    /// Whether each round trip takes its time, by the fastest statement so far; `false` before the first.
    #[must_use]
    pub fn is_far(&self) -> bool {
        let fastest = self.0.fastest.load(Ordering::Relaxed);
        fastest != u64::MAX && Duration::from_micros(fastest) >= FAR
    }

    /// So many tables of one side are opened, or asked before anything is read, at the same time.
    #[must_use]
    pub fn tables_at_once(&self) -> usize {
        if self.is_far() { TABLES_AT_ONCE } else { 1 }
    }

    pub(super) fn time_zone(&self) -> Option<Tz> {
        self.0.time_zone
    }

    /// The instant up to which this database's data reach; `None` if no query for it is configured.
    ///
    /// # Errors
    /// If the query fails, gives no row, NULL, or something that is no instant.
    pub async fn fresh_until(&self) -> Result<Option<Micros>, SourceError> {
        let Some(query) = &self.0.fresh_until else { return Ok(None) };
        let error = |kind, what: &str| {
            let message = format!("fresh_until {what}, so how far the data reach is unknown");
            self.error(Failure { kind, message }, None)
        };
        let usable = Span::new(Micros::EARLIEST_USABLE, Micros(i64::MAX));
        let reader = TimeReader::new(&TimeFormat::Native, self.0.time_zone, usable)
            .ok_or_else(|| error(ErrorKind::Other, "cannot be read"))?;
        let statement = Statement::own("fresh_until", self.0.dialect, query);
        let rows = self.collect(&statement, None, &|row| Ok(Some(reader.stamp(row.cell(0))))).await;
        let rows = rows
            .map_err(|cause| SourceError { message: format!("fresh_until: {}", cause.message), ..cause })?;
        match rows.found.first() {
            None => Err(error(ErrorKind::Other, "gave no row")),
            Some(Ok(Stamp::At(at))) => Ok(Some(*at)),
            Some(Ok(Stamp::None)) => Err(error(ErrorKind::Other, "gave NULL")),
            Some(Ok(Stamp::Unusable)) => Err(error(ErrorKind::Other, "gave something that is no time")),
            Some(Err(Undeclared::Zone)) => Err(error(
                ErrorKind::Configuration,
                "gave a time without a zone: set the database's `time_zone`",
            )),
            Some(Err(Undeclared::Unit)) => {
                Err(error(ErrorKind::Configuration, "gave a number: make the query give a date and time"))
            }
        }
    }

    /// Ends the sessions.
    pub async fn close(self) {
        match &self.0.sessions {
            AnySessions::Sqlite(sessions) => sessions.close().await,
            AnySessions::Postgres(sessions) => sessions.close().await,
            AnySessions::Mysql(sessions) => sessions.close().await,
        }
    }

    pub(super) fn error(&self, failure: Failure, table: Option<&str>) -> SourceError {
        failure.at(&self.0.name, &self.0.place, table)
    }

    /// Runs a statement and keeps what `decode` makes of its rows; again from the start where that may help.
    pub(super) async fn collect<T: Send>(
        &self,
        statement: &Statement,
        table: Option<&str>,
        decode: &Decode<'_, T>,
    ) -> Result<Rows<T>, SourceError> {
        let mut patience = Patience::new();
        loop {
            let mut rows = Rows { found: Vec::new(), fetched: 0 };
            let mut keep = |row: &dyn Fields| {
                rows.fetched += 1;
                rows.found.extend(decode(row)?);
                Ok(())
            };
            let outcome = self.each(statement, table, &mut keep).await;
            if patience.with(outcome).await?.is_some() {
                return Ok(rows);
            }
        }
    }

    /// The right to run one statement, once nothing holds it up. Whoever runs it says at its end how many rows it gave.
    pub(super) async fn pass(&self, table: Option<&str>) -> Result<Pass<'_>, SourceError> {
        self.0.gate.pass(self).await.map_err(|failure| self.error(failure, table))
    }

    /// Runs a statement once and hands over its rows as they come.
    pub(super) async fn each(
        &self,
        statement: &Statement,
        table: Option<&str>,
        sink: &mut Sink<'_>,
    ) -> Result<(), SourceError> {
        let pass = self.pass(table).await?;
        let mut rows = 0;
        let mut counted = |row: &dyn Fields| {
            rows += 1;
            sink(row)
        };
        let outcome = self.once(statement, &mut counted).await;
        pass.gave(rows).await;
        outcome.map_err(|failure| self.error(failure, table))
    }

    /// The same past the gate: for the gate's own questions.
    pub(super) async fn once(&self, statement: &Statement, sink: &mut Sink<'_>) -> Result<(), Failure> {
        let (limit, stopwatch) = (self.0.limit, Stopwatch::start());
        let outcome = match &self.0.sessions {
            AnySessions::Sqlite(sessions) => stream(sessions, statement, limit, sink).await,
            AnySessions::Postgres(sessions) => stream(sessions, statement, limit, sink).await,
            AnySessions::Mysql(sessions) => stream(sessions, statement, limit, sink).await,
        };
        if outcome.is_ok() {
            let took = u64::try_from(stopwatch.elapsed().as_micros()).unwrap_or(u64::MAX);
            self.0.fastest.fetch_min(took, Ordering::Relaxed);
        }
        outcome
    }

    /// One row stood for so many more; waits until they are paid for.
    pub(super) async fn gave(&self, rows: usize) {
        self.0.gate.gave(rows as u64).await;
    }

    /// The types of a statement's columns, without running it.
    pub(super) async fn describe(
        &self,
        statement: &Statement,
        table: Option<&str>,
    ) -> Result<Vec<ColumnType>, SourceError> {
        let mut patience = Patience::new();
        loop {
            let _pass = self.pass(table).await?;
            let outcome = match &self.0.sessions {
                AnySessions::Sqlite(sessions) => describe(sessions, statement, self.0.limit).await,
                AnySessions::Postgres(sessions) => describe(sessions, statement, self.0.limit).await,
                AnySessions::Mysql(sessions) => describe(sessions, statement, self.0.limit).await,
            };
            let outcome = outcome.map_err(|failure| self.error(failure, table));
            if let Some(types) = patience.with(outcome).await? {
                return Ok(types);
            }
        }
    }
}

/// Shows no URL.
impl fmt::Debug for Database {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_tuple("Database").field(&self.0.name).field(&self.0.place).finish()
    }
}

/// What a statement gave.
pub(super) struct Rows<T> {
    /// What was kept.
    pub found: Vec<T>,
    /// How many rows came, kept or not.
    pub fetched: usize,
}

/// Makes a fact of a row, or leaves it out; a complaint ends the statement and is a mistake in the configuration.
pub(super) type Decode<'a, T> = dyn Fn(&dyn Fields) -> Result<Option<T>, String> + Sync + 'a;

/// Takes rows; a complaint ends the statement and is a mistake in the configuration.
pub(super) type Sink<'a> = dyn FnMut(&dyn Fields) -> Result<(), String> + Send + 'a;
