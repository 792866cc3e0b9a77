//! What can go wrong with a source, told so that somebody can act on it.

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
    /// Anything else.
    Other,
}

/// Why a source could not be read. It never holds a URL or a password.
#[derive(Clone, Debug)]
pub struct SourceError {
    /// The database's name in the configuration, and where it is: `orders (app@db.example.com:5432/shop)`.
    pub database: String,
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
        if let Some(table) = &self.table {
            write!(f, ", table {table}")?;
        }
        write!(f, ": {}", self.message)
    }
}

impl std::error::Error for SourceError {}

impl SourceError {
    /// A plan names a database that the configuration does not have.
    #[must_use]
    pub fn unknown_database(name: &str) -> Self {
        let message = "is not configured; add it under `[databases]`".to_owned();
        Self { database: name.to_owned(), table: None, message, kind: ErrorKind::Configuration }
    }

    /// A table gave more rows at once than a run takes in.
    #[must_use]
    pub fn too_many_rows(database: &str, limit: usize) -> Self {
        let message = format!(
            "more than {limit} rows in one piece: a table without a sortable time, or very many rows of one second; \
             use a native or epoch time column with an index, or a shorter range"
        );
        Self { database: database.to_owned(), table: None, message, kind: ErrorKind::Other }
    }
}
