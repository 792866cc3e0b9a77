//! One physical dedup table, as one consumer sees it.

use super::{Database, Slicing, SourceError};
use crate::config;
use crate::model::{Id, Micros, Receipt, Span};

/// One physical dedup table, as one consumer sees it.
#[derive(Debug)]
pub struct ReceiptTable {
    notes: Vec<String>,
}

#[allow(clippy::unused_async, clippy::missing_errors_doc, unused_variables)]
impl ReceiptTable {
    /// Opens it: probes its columns and indexes.
    pub async fn open(
        db: &Database,
        table: &config::Table,
        consumer: &config::Consumer,
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

    /// Whether the database guarantees that no id comes twice.
    #[must_use]
    pub fn ids_unique(&self) -> bool {
        false
    }

    /// Whether an index serves look-ups by id.
    #[must_use]
    pub fn look_up_indexed(&self) -> bool {
        false
    }

    /// The rows whose time may lie in the slice; `None` if there are more than `max_rows`.
    pub async fn read(&self, slice: Span, max_rows: usize) -> Result<Option<Vec<Receipt>>, SourceError> {
        Ok(Some(Vec::new()))
    }

    /// All rows with these ids, compared byte by byte.
    pub async fn by_id(&self, ids: &[Id]) -> Result<Vec<Receipt>, SourceError> {
        Ok(Vec::new())
    }

    /// Names in the consumer column that are not among `known`, with their number of records.
    pub async fn other_consumers(
        &self,
        slice: Span,
        known: &[String],
    ) -> Result<Vec<(String, u64)>, SourceError> {
        Ok(Vec::new())
    }

    /// The oldest receipt's time, where an index makes that cheap.
    pub async fn oldest(&self) -> Result<Option<Micros>, SourceError> {
        Ok(None)
    }
}
