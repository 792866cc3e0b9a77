//! What can go wrong with the ledger, told so that somebody can act on it.

use sqlx::error::DatabaseError;
use sqlx::migrate::MigrateError;
use sqlx::mysql::MySqlDatabaseError;
use sqlx::sqlite::SqliteError;
use std::fmt;

/// `ER_LOCK_WAIT_TIMEOUT`, and `ER_CHECKREAD`: the row has changed since the transaction looked.
const MYSQL_CROSSED: [u16; 2] = [1205, 1020];
/// The low bytes of SQLite's codes for "somebody else is at it".
const SQLITE_BUSY: u32 = 5;
const SQLITE_LOCKED: u32 = 6;

/// Who or what has to change before the same call can succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The URL, or a ledger that this version cannot use: running again changes nothing.
    Configuration,
    /// Nothing is kept there yet, and only a run may begin it.
    Absent,
    /// It could not be reached, refused, or broke off; a later run may well succeed.
    Away,
    /// Another run works on the same flow.
    Busy,
    /// Another run has taken over since this one was last heard of.
    Lost,
}

/// Why the ledger could not be read or written. It never holds a URL or a password.
#[derive(Clone, Debug)]
pub struct LedgerError {
    /// Where it is, without the password; empty where that is not known.
    pub place: String,
    /// What was wrong, and where possible what to do about it.
    pub message: String,
    /// Who has to act.
    pub kind: ErrorKind,
    /// Another session was in the way: what was under way is taken back, and may succeed when it is made again.
    pub(super) crossed: bool,
}

impl LedgerError {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { place: String::new(), message: message.into(), kind, crossed: false }
    }

    pub(super) fn at(self, place: &str) -> Self {
        Self { place: place.to_owned(), ..self }
    }
}

impl fmt::Display for LedgerError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the ledger")?;
        if !self.place.is_empty() {
            write!(f, " ({})", self.place)?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for LedgerError {}

impl From<sqlx::Error> for LedgerError {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error;
        match &error {
            // The text may quote the URL, and with it the password.
            Error::Configuration(_) => Self::new(
                ErrorKind::Configuration,
                "its URL cannot be understood; look at `url` under `[ledger]`",
            ),
            Error::Database(inner) => {
                Self { crossed: crossed(inner.as_ref()), ..Self::new(ErrorKind::Away, inner.message()) }
            }
            Error::Io(inner) => Self::new(ErrorKind::Away, format!("no connection: {inner}")),
            Error::Tls(inner) => Self::new(ErrorKind::Away, format!("no TLS connection: {inner}")),
            _ => Self::new(ErrorKind::Away, error.to_string()),
        }
    }
}

/// Whether two sessions waited for each other, or one of them for too long: the SQLSTATE of a serialization failure, which
/// MySQL also gives for a deadlock, that of a deadlock on PostgreSQL, MySQL's numbers, and SQLite's codes.
/// <https://www.postgresql.org/docs/current/mvcc-serialization-failure-handling.html>,
/// <https://dev.mysql.com/doc/refman/8.4/en/innodb-deadlocks-handling.html>.
fn crossed(error: &dyn DatabaseError) -> bool {
    let number = error.try_downcast_ref::<MySqlDatabaseError>().map(MySqlDatabaseError::number);
    number.is_some_and(|number| MYSQL_CROSSED.contains(&number))
        || matches!(error.code().as_deref(), Some("40001" | "40P01"))
        || busy(error)
}

/// Whether another process was just changing an SQLite file. SQLite waits for most of that by itself, but neither for the
/// switch to WAL nor where a transaction that has read begins to write: <https://www.sqlite.org/rescode.html#busy>.
pub(super) fn busy(error: &dyn DatabaseError) -> bool {
    let code = error.try_downcast_ref::<SqliteError>().and_then(|error| error.code()?.parse::<u32>().ok());
    code.is_some_and(|code| matches!(code & 0xff, SQLITE_BUSY | SQLITE_LOCKED))
}

impl From<MigrateError> for LedgerError {
    fn from(error: MigrateError) -> Self {
        match error {
            MigrateError::VersionMissing(version) => Self::new(
                ErrorKind::Configuration,
                format!(
                    "it was written by a newer msgrecon (its schema is version {version}, this program knows up to {}); run that version, or name another ledger",
                    super::schema::NEWEST
                ),
            ),
            MigrateError::VersionMismatch(version) => Self::new(
                ErrorKind::Configuration,
                format!("its schema version {version} is not the one of this program; was it made by hand?"),
            ),
            MigrateError::Execute(inner) | MigrateError::ExecuteMigration(inner, _) => inner.into(),
            other => {
                Self::new(ErrorKind::Away, format!("its schema could not be brought up to date: {other}"))
            }
        }
    }
}
