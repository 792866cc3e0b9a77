//! One physical event table.

use super::{Database, Slicing, SourceError};
use crate::config;
use crate::model::{Event, Id, Micros, Span};

/// One physical event table.
#[derive(Debug)]
pub struct EventTable {
    notes: Vec<String>,
}

#[allow(clippy::unused_async, clippy::missing_errors_doc, unused_variables)]
impl EventTable {
    /// Opens it: probes its columns and indexes.
    pub async fn open(
        db: &Database,
        table: &config::Table,
        events: &config::Events,
        expects: &[Option<String>],
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
    pub async fn read(&self, slice: Span, max_rows: usize) -> Result<Option<Vec<Event>>, SourceError> {
        Ok(Some(Vec::new()))
    }

    /// All rows with these ids, compared byte by byte.
    pub async fn by_id(&self, ids: &[Id]) -> Result<Vec<Event>, SourceError> {
        Ok(Vec::new())
    }

    /// Rows of the flow that have neither a usable ack time nor a usable creation time: they are in no range.
    pub async fn undated(&self, max_rows: usize) -> Result<Vec<Event>, SourceError> {
        Ok(Vec::new())
    }

    /// The pending rows of the flow, whatever their window; counted while they stream by.
    pub async fn backlog(&self, as_of: Micros) -> Result<crate::model::run::Backlog, SourceError> {
        Ok(crate::model::run::Backlog::default())
    }
}
