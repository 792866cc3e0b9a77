//! The sources: what producers and consumers say of themselves, read and never written.
//!
//! [`Database`] holds the sessions and runs statements; [`EventTable`], [`ReceiptTable`] and [`DeadLetterTable`] ask
//! their questions through it and give the facts of [`crate::model`]. The way of a question: a query of `queries/` is
//! filled by `sql`, run by `database` with the driver of `sqlite`, `postgres` or `mysql`, whose rows are `cell`s, from
//! which `decode` makes ids and stamps. No statement starts before the database's `gate` lets it pass, and `scan` refuses
//! tables that would be read from end to end. What a column holds is found when a table is opened (`catalogue`, `relation`,
//! `id_column`, `time_column`), of several tables at once where they are `alike`; how spans become bounds is `axis`, how ids become look-ups is `look_up`.

mod alike;
mod axis;
mod catalogue;
mod cell;
mod conditions;
mod consumer_column;
mod database;
mod dead_letter_table;
mod decode;
mod error;
mod event_table;
mod gate;
mod id_column;
mod look_up;
mod mysql;
mod notes;
mod packing;
mod postgres;
mod receipt_table;
mod relation;
mod retry;
mod scan;
mod short;
mod sketching;
mod sql;
mod sqlite;
mod time_column;

pub use database::Database;
pub use dead_letter_table::DeadLetterTable;
pub use error::{ErrorKind, SourceError};
pub use event_table::{Counted, EventSlice, EventTable};
pub use gate::Pause;
pub use packing::PACKED_AT_MAX;
pub use receipt_table::{ReceiptSlice, ReceiptTable};

use crate::model::Span;
use axis::Axis;
use cell::{ColumnType, Kind};
use sql::{Fragment, Statement, Value};
use time_column::TimeColumn;

/// How a range of a table has to be cut for reading.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slicing {
    /// Widen the range by this many microseconds on both sides before slicing it.
    pub margin: i64,
    /// The table cannot be sliced by time: read it once, with the whole range.
    pub whole: bool,
}

/// The coarsest of the columns decides; no column at all cannot be sliced.
fn slicing<const N: usize>(columns: [&Option<TimeColumn>; N]) -> Slicing {
    let axes = || columns.iter().filter_map(|column| column.as_ref()).map(TimeColumn::axis);
    Slicing {
        margin: axes().map(Axis::margin).max().unwrap_or(0),
        whole: axes().count() == 0 || axes().any(|axis| axis == Axis::Whole),
    }
}

fn within(column: Option<&TimeColumn>, span: Span) -> Fragment {
    column.map_or("(1 = 1)".into(), |column| column.within(span))
}

fn condition(condition: Option<&str>) -> Fragment {
    condition.map_or("(1 = 1)".into(), Fragment::condition)
}

/// One row more than wanted tells that there are too many.
fn limit(max_rows: usize) -> Fragment {
    let rows = i64::try_from(max_rows).unwrap_or(i64::MAX).saturating_add(1);
    Fragment::value(Value::Int(rows))
}

/// What a person is shown in the place of the limit.
fn shown_limit() -> Fragment {
    limit(100_000)
}

fn shown(statements: &[Statement]) -> Vec<(String, String)> {
    statements.iter().map(|statement| (statement.name.to_owned(), statement.shown())).collect()
}

/// The type of what was asked under a key.
fn type_of<'a>(types: &'a relation::Types, key: &str) -> &'a ColumnType {
    const UNKNOWN: &ColumnType = &ColumnType { kind: Kind::Other, name: String::new() };
    types.get(key).unwrap_or(UNKNOWN)
}

/// The smaller of two limits in milliseconds, where 0 means none.
fn smaller_limit(ours: u64, theirs: u64) -> u64 {
    match (ours, theirs) {
        (0, limit) | (limit, 0) => limit,
        (ours, theirs) => ours.min(theirs),
    }
}

fn refusal(setting: &str, value: &str) -> String {
    format!("the server does not keep {setting} at {value} for the session, so nothing is read from it")
}
