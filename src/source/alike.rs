//! Questions to several tables by one statement, where they are alike: dozens of shards have few rows each that do not lie
//! in any slice, and asking for them would take longer than reading them.

use super::cell::Fields;
use super::database::{Decode, Rows};
use super::relation::Relation;
use super::sql::Statement;
use super::{ErrorKind, SourceError};
use crate::config::Dialect;
use std::sync::Arc;

/// So many tables are asked by one statement.
const TOGETHER: usize = 16;
/// A statement that gives more rows is given up: what a table gives by itself may be taken as it comes.
const ROWS_MAX: usize = 100_000;

/// A table of a flow.
pub(super) trait Table {
    /// What the catalogue says of it.
    fn relation(&self) -> &Relation;
}

/// Neighbours that are alike, so many at the most.
pub(super) fn groups<T: Table>(tables: &[T]) -> impl Iterator<Item = &[T]> {
    let alike = |one: &T, next: &T| one.relation().is_like(next.relation());
    tables.chunk_by(alike).flat_map(|group| group.chunks(TOGETHER))
}

/// The statements of a group's tables as one, and what to call these; `None` where they are no group, or one
/// of them has no statement.
fn as_one<T: Table>(
    group: &[T],
    of: impl Fn(&T) -> Result<Option<Statement>, SourceError>,
) -> Result<Option<(Statement, String)>, SourceError> {
    let [first, .., last] = group else { return Ok(None) };
    let (first, last) = (first.relation(), last.relation());
    // SQLite is asked without any way between, and takes no parts in parentheses.
    if first.db.dialect() == Dialect::Sqlite {
        return Ok(None);
    }
    let statements = group.iter().map(of).collect::<Result<Option<Vec<_>>, _>>()?;
    let one = statements.and_then(|statements| Statement::union_of_parts(&statements));
    Ok(one.map(|statement| (statement, format!("{} to {}", first.name, last.name))))
}

/// The rows of a group's statements by one; `None` where each table has to be asked by itself, and what is wrong with one of
/// them then comes to light under its name. Tried once, since one that takes longer than a statement may would do so again.
pub(super) async fn rows<T: Table, R: Send>(
    group: &[T],
    of: impl Fn(&T) -> Result<Option<Statement>, SourceError>,
    decode: &Decode<'_, R>,
) -> Result<Option<Rows<R>>, SourceError> {
    let Some((statement, names)) = as_one(group, of)? else { return Ok(None) };
    let Some(first) = group.first() else { return Ok(None) };
    let mut rows = Rows { found: Vec::new(), fetched: 0 };
    let mut keep = |row: &dyn Fields| {
        rows.fetched += 1;
        rows.found.extend(decode(row)?);
        if rows.fetched > ROWS_MAX { Err("more rows than are kept at a time".to_owned()) } else { Ok(()) }
    };
    match first.relation().db.each(&statement, Some(&names), &mut keep).await {
        Ok(()) => Ok(Some(rows)),
        Err(error) if error.kind == ErrorKind::Unreachable => Err(error),
        Err(error) => {
            tracing::debug!("each table by itself: {error}");
            Ok(None)
        }
    }
}

impl<T: Table> Table for Arc<T> {
    fn relation(&self) -> &Relation {
        self.as_ref().relation()
    }
}

impl Table for Relation {
    fn relation(&self) -> &Relation {
        self
    }
}
