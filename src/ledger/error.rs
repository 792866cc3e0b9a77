//! What can go wrong with the ledger, told so that somebody can act on it.

use sqlx::migrate::MigrateError;
use std::fmt;

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
}

impl LedgerError {
    pub(super) fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { place: String::new(), message: message.into(), kind }
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
            Error::Database(inner) => Self::new(ErrorKind::Away, inner.message()),
            Error::Io(inner) => Self::new(ErrorKind::Away, format!("no connection: {inner}")),
            Error::Tls(inner) => Self::new(ErrorKind::Away, format!("no TLS connection: {inner}")),
            _ => Self::new(ErrorKind::Away, error.to_string()),
        }
    }
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
