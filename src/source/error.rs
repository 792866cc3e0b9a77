//! What can go wrong with a source, told so that somebody can act on it.

use sqlx::mysql::MySqlDatabaseError;
use sqlx::postgres::PgDatabaseError;
use sqlx::sqlite::SqliteError;
use std::fmt;

/// Who or what has to change before the same call can succeed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorKind {
    /// The configuration says something that does not fit the database; running again changes nothing.
    Configuration,
    /// No server answers, or no such file exists.
    Unreachable,
    /// The server refuses the account or one of its rights.
    Denied,
    /// A database, table or column is not there.
    Missing,
    /// The server cancelled the statement or the connection was lost; a later run may well succeed.
    Transient,
    /// The database has too much to do, or somebody holds the run up; what could be waited was waited.
    Busy,
    /// Anything else.
    Other,
}

/// Why a source could not be read. It never holds a URL or a password.
#[derive(Clone, Debug)]
pub struct SourceError {
    /// The database's name in the configuration.
    pub database: String,
    /// Where it is, without the password: `app@db.example.com:5432/shop`, or a file; empty where that is not known.
    pub place: String,
    /// The table, where one was being read.
    pub table: Option<String>,
    /// What was wrong, and where possible what to do about it.
    pub message: String,
    /// Who has to act.
    pub kind: ErrorKind,
}

impl fmt::Display for SourceError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "database {}", self.database)?;
        if !self.place.is_empty() {
            write!(f, " ({})", self.place)?;
        }
        if let Some(table) = &self.table {
            write!(f, ", table {table}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for SourceError {}

/// What went wrong, before it is known where.
#[derive(Clone, Debug)]
pub(super) struct Failure {
    pub kind: ErrorKind,
    pub message: String,
}

impl Failure {
    pub fn configuration(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Configuration, message: message.into() }
    }

    pub fn other(message: impl Into<String>) -> Self {
        Self { kind: ErrorKind::Other, message: message.into() }
    }

    /// With the place filled in.
    pub fn at(self, database: &str, place: &str, table: Option<&str>) -> SourceError {
        let message = match next_step(self.kind) {
            "" => self.message,
            step => format!("{}; {step}", self.message),
        };
        SourceError {
            database: database.to_owned(),
            place: place.to_owned(),
            table: table.map(str::to_owned),
            message,
            kind: self.kind,
        }
    }
}

fn next_step(kind: ErrorKind) -> &'static str {
    match kind {
        ErrorKind::Unreachable => "check host, port and network, or the file's path",
        ErrorKind::Denied => "check user, password and the account's SELECT rights",
        ErrorKind::Missing => "check the names in the configuration",
        ErrorKind::Transient | ErrorKind::Busy => "run again later",
        ErrorKind::Configuration | ErrorKind::Other => "",
    }
}

impl From<super::sql::RenderError> for Failure {
    fn from(error: super::sql::RenderError) -> Self {
        Self::other(error.to_string())
    }
}

impl From<sqlx::Error> for Failure {
    fn from(error: sqlx::Error) -> Self {
        use sqlx::Error;
        let (kind, message) = match &error {
            Error::Database(inner) => (kind_of(inner.as_ref()), inner.message().to_owned()),
            // The text may quote the URL, and with it the password.
            Error::Configuration(_) => (ErrorKind::Configuration, "its URL cannot be understood".to_owned()),
            Error::Io(inner) => io(inner),
            Error::Tls(inner) => (ErrorKind::Unreachable, format!("no TLS connection: {inner}")),
            Error::PoolTimedOut => (ErrorKind::Unreachable, "no connection could be had in time".to_owned()),
            Error::WorkerCrashed | Error::PoolClosed => (ErrorKind::Transient, error.to_string()),
            Error::Protocol(message) => (ErrorKind::Other, message.clone()),
            Error::Encode(inner) => (ErrorKind::Other, inner.to_string()),
            Error::ColumnDecode { source, .. } => (ErrorKind::Other, source.to_string()),
            _ => (ErrorKind::Other, error.to_string()),
        };
        Self { kind, message }
    }
}

/// Whether a server that was there before may take one more session in a moment: it refuses, is being started, or has no
/// place.
pub(super) fn is_soon_over(error: &sqlx::Error) -> bool {
    match error {
        sqlx::Error::Io(error) => error.kind() == std::io::ErrorKind::ConnectionRefused,
        sqlx::Error::Database(error) => kind_of(error.as_ref()) == ErrorKind::Transient,
        _ => false,
    }
}

/// What broke off in the middle may hold the next time; what never began has a cause that stays.
fn io(error: &std::io::Error) -> (ErrorKind, String) {
    use std::io::ErrorKind as Io;
    match error.kind() {
        Io::UnexpectedEof | Io::ConnectionReset | Io::ConnectionAborted | Io::BrokenPipe | Io::TimedOut => {
            (ErrorKind::Transient, format!("the connection broke off: {error}"))
        }
        _ => (ErrorKind::Unreachable, error.to_string()),
    }
}

fn kind_of(error: &(dyn sqlx::error::DatabaseError + 'static)) -> ErrorKind {
    if let Some(error) = error.try_downcast_ref::<PgDatabaseError>() {
        return kind_of_postgres(error.code());
    }
    if let Some(error) = error.try_downcast_ref::<MySqlDatabaseError>() {
        return kind_of_mysql(error.number());
    }
    if let Some(error) = error.try_downcast_ref::<SqliteError>() {
        let code = sqlx::error::DatabaseError::code(error).and_then(|code| code.parse().ok());
        return kind_of_sqlite(code.unwrap_or(0), sqlx::error::DatabaseError::message(error));
    }
    ErrorKind::Other
}

/// By SQLSTATE.
fn kind_of_postgres(code: &str) -> ErrorKind {
    match code {
        // cancelled, shut down, starting up, deadlock, serialization, lock not available, out of connections
        "57014" | "57P01" | "57P02" | "57P03" | "40P01" | "40001" | "55P03" | "53300" => ErrorKind::Transient,
        "28000" | "28P01" | "42501" => ErrorKind::Denied,
        "3D000" | "3F000" | "42P01" | "42703" => ErrorKind::Missing,
        _ if code.starts_with("08") => ErrorKind::Transient,
        // syntax errors, unknown functions and operators, types that do not fit
        _ if code.starts_with("42") || code.starts_with("22") => ErrorKind::Configuration,
        _ => ErrorKind::Other,
    }
}

/// By error number; 1969 is MariaDB's statement time-out, 3024 MySQL's.
fn kind_of_mysql(number: u16) -> ErrorKind {
    match number {
        1040 | 1053 | 1077 | 1152 | 1158..=1161 | 1203 | 1205 | 1213 | 1317 | 1927 | 1969 | 3024 | 4031 => {
            ErrorKind::Transient
        }
        1044 | 1045 | 1130 | 1142 | 1143 | 1227 | 1370 | 1698 => ErrorKind::Denied,
        1049 | 1054 | 1146 => ErrorKind::Missing,
        1064 | 1052 | 1058 | 1111 | 1149 | 1210 | 1267 | 1271 | 1305 | 1367 | 1582 | 4161 => {
            ErrorKind::Configuration
        }
        _ => ErrorKind::Other,
    }
}

/// By result code, and by message where many errors share one code.
fn kind_of_sqlite(code: i32, message: &str) -> ErrorKind {
    match code & 0xff {
        5 | 6 | 9 => ErrorKind::Transient,
        3 | 23 => ErrorKind::Denied,
        14 | 26 => ErrorKind::Unreachable,
        1 if message.starts_with("no such table") || message.starts_with("no such column") => {
            ErrorKind::Missing
        }
        1 => ErrorKind::Configuration,
        _ => ErrorKind::Other,
    }
}

impl SourceError {
    /// A plan names a database that the configuration does not have.
    #[must_use]
    pub fn unknown_database(name: &str) -> Self {
        let message = "is not configured; add it under `[databases]`".to_owned();
        Self::of(name, message, ErrorKind::Configuration)
    }

    /// A table gave more rows at once than a run takes in.
    #[must_use]
    pub fn too_many_rows(database: &str, limit: usize) -> Self {
        let message = format!(
            "more than {limit} rows in one piece: a table without a sortable time, or very many rows of one second; \
             use a native or epoch time column with an index, or a shorter range"
        );
        Self::of(database, message, ErrorKind::Other)
    }

    /// A reader of this program has ended in its middle.
    #[must_use]
    pub fn broken(database: &str, how: &str) -> Self {
        let message = format!("reading has broken off ({how}); run again, and report it if it stays");
        Self::of(database, message, ErrorKind::Other)
    }

    fn of(database: &str, message: String, kind: ErrorKind) -> Self {
        Self { database: database.to_owned(), place: String::new(), table: None, message, kind }
    }
}
