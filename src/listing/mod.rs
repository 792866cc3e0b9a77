//! What the ledger holds, for people and machines: runs, differences, repair lists, how far each flow is judged.
//!
//! Lists are written row by row to wherever they go, since a ledger may hold more than memory does. Words, numbers and
//! the guarding of cells are those of the reports.
//!
//! ```text
//! history       the runs                        status    how far each flow is judged
//! differences   everything known of each        outlook   what a scheduled run would do
//! repair        what to do with each            rows      a JSON document around a long list
//! ```

pub mod differences;
#[cfg(test)]
mod fixture;
pub mod history;
pub mod outlook;
pub mod repair;
mod rows;
pub mod status;

use crate::model::Micros;
use crate::report::json::to_the_millisecond;
use crate::report::text::{age, exact};

/// Raised when a key changes its meaning; new keys do not raise it.
pub const FORMAT_VERSION: u32 = 1;

/// Ids, names and evidence longer than this are cut in the middle where a person reads them.
const TEXT_MAX: usize = 60;

/// A name or an id as a person reads it.
fn name(text: &str) -> String {
    exact(text, TEXT_MAX)
}

/// `orders at billing`, `producer of orders`.
#[must_use]
pub fn side(flow: &str, consumer: Option<&str>) -> String {
    match consumer {
        Some(consumer) => format!("{} at {}", name(flow), name(consumer)),
        None => format!("producer of {}", name(flow)),
    }
}

/// The time between two instants as a person would say it; never below nothing.
fn between(from: Micros, until: Micros) -> String {
    age(until.since(from).max(0))
}

/// Seconds between two instants, as reports count them.
fn seconds_between(from: Micros, until: Micros) -> f64 {
    to_the_millisecond(until.since(from))
}

fn io_error(error: csv::Error) -> std::io::Error {
    match error.into_kind() {
        csv::ErrorKind::Io(error) => error,
        other => std::io::Error::other(format!("{other:?}")),
    }
}
