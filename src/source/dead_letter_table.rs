//! One consumer's dead-letter table.

use super::{Database, Slicing, SourceError};
use crate::config;
use crate::model::{DeadLetter, Id, Micros, Span};

/// One consumer's dead-letter table.
#[derive(Debug)]
pub struct DeadLetterTable {
    notes: Vec<String>,
}

#[allow(clippy::unused_async, clippy::missing_errors_doc, unused_variables)]
impl DeadLetterTable {
    /// Opens it: probes its columns and indexes.
    pub async fn open(
        db: &Database,
        dead_letters: &config::DeadLetters,
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        Ok(Self { notes: Vec::new() })
    }

    /// How a range has to be cut for reading.
    #[must_use]
    pub fn slicing(&self) -> Slicing {
        Slicing { margin: 0, whole: true }
    }

    /// Warnings for the plan and the report.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The statements that reading a span takes, by name.
    #[must_use]
    pub fn statements(&self, span: Span) -> Vec<(String, String)> {
        Vec::new()
    }

    /// The rows whose time may lie in the slice; `None` if there are more than `max_rows`.
    pub async fn read(&self, slice: Span, max_rows: usize) -> Result<Option<Vec<DeadLetter>>, SourceError> {
        Ok(Some(Vec::new()))
    }

    /// All rows with these ids, compared byte by byte.
    pub async fn by_id(&self, ids: &[Id]) -> Result<Vec<DeadLetter>, SourceError> {
        Ok(Vec::new())
    }
}
