//! The sources: what producers and consumers say of themselves, read and never written.

mod database;
mod dead_letter_table;
mod error;
mod event_table;
mod receipt_table;

pub use database::Database;
pub use dead_letter_table::DeadLetterTable;
pub use error::{ErrorKind, SourceError};
pub use event_table::EventTable;
pub use receipt_table::ReceiptTable;

/// How a range of a table has to be cut for reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slicing {
    /// Widen the range by this many microseconds on both sides before slicing it.
    pub margin: i64,
    /// The table cannot be sliced by time: read it once, with the whole range.
    pub whole: bool,
}
