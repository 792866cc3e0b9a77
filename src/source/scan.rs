//! The guard against full scans: a large table that no index opens is not read, unless that is allowed.
//!
//! Asked once for each table, when it is opened and before any row is read. How many rows it has is the planner's belief;
//! only where that is above the bound, the server is asked for the plan of each statement.

mod plan;

use super::alike;
use super::cell::Fields;
use super::error::{Failure, SourceError};
use super::relation::Relation;
use super::sql::{self, Fragment, Query, Statement, Value};
use super::time_column::TimeColumn;
use crate::config::Dialect;
use crate::model::time::MINUTE;
use crate::model::{Id, Micros, Span};

/// A statement that a table will be asked, for a short span or a single id, since a long span may rightly be read from end
/// to end; and the columns that an index should lead with, as far as they are columns.
pub(super) type Asked<'a> = (Statement, Vec<&'a str>);

/// Ids that nothing has, one of which every kind of column can be searched for.
pub(super) fn ids() -> [Id; 2] {
    ["0", "00000000-0000-0000-0000-000000000000"].map(Id::from_text)
}

/// The column of a time, as one that an index should lead with.
pub(super) fn column(time: Option<&TimeColumn>) -> Vec<&str> {
    time.and_then(TimeColumn::column).into_iter().collect()
}

/// A short span at the end of what is read.
pub(super) fn minute(as_of: Micros) -> Span {
    Span::new(as_of.plus(-MINUTE), as_of)
}

/// Refuses a large table where one of the statements would read all of it. `side` is the table's key in the
/// configuration: `events`.
pub(super) async fn refuse<'a>(
    relation: &Relation,
    side: &str,
    allowed: bool,
    asked: impl FnOnce() -> Result<Vec<Asked<'a>>, SourceError>,
) -> Result<(), SourceError> {
    let pace = relation.db.pace();
    if allowed || pace.allow_full_scan {
        return Ok(());
    }
    let Some(rows) = rows(relation).await.filter(|rows| *rows > pace.full_scan_rows) else { return Ok(()) };
    for (statement, columns) in &asked()? {
        let served = !columns.is_empty() && columns.iter().all(|column| relation.leads(column));
        if !served && scans(relation, statement).await {
            let message = refusal(relation, side, rows, statement.name, columns);
            return Err(relation.error(Failure::configuration(message)));
        }
    }
    Ok(())
}

fn refusal(relation: &Relation, side: &str, rows: u64, statement: &str, columns: &[&str]) -> String {
    let missing = columns.iter().filter(|column| !relation.leads(column));
    let missing: Vec<_> = missing.map(|column| format!("`{column}`")).collect();
    let index = match missing.as_slice() {
        [] => "make an index that serves its condition".to_owned(),
        columns => format!("make an index that leads with {}", columns.join(" and one with ")),
    };
    format!(
        "{statement} would read it from end to end, about {rows} rows, and that is refused above {} (`full_scan_rows`): \
         {index} (`plan --sql` shows the statement), or set `allow_full_scan = true` in `{side}` or under `[databases.{}]`",
        relation.db.pace().full_scan_rows,
        relation.db.name()
    )
}

/// Whether the server says at once that none of several tables is large, so that none of them has to be asked for more.
pub(super) async fn all_are_small<T: alike::Table>(tables: &[T]) -> bool {
    if tables.len() < 2 {
        return false;
    }
    for group in alike::groups(tables) {
        let small = match group {
            [alone] => rows(alone.relation()).await.is_none_or(|rows| is_small(alone, rows)),
            _ => group_is_small(group).await,
        };
        if !small {
            return false;
        }
    }
    true
}

fn is_small<T: alike::Table>(table: &T, rows: u64) -> bool {
    rows <= table.relation().db.pace().full_scan_rows
}

async fn group_is_small<T: alike::Table>(group: &[T]) -> bool {
    let Some(first) = group.first() else { return false };
    let (relation, dialect) = (first.relation(), first.relation().db.dialect());
    let tables = group.iter().map(|it| Fragment::text(&it.relation().sql));
    let all = Fragment::join(tables, "\nUNION ALL SELECT 1 FROM ");
    // SQLite has no slot for them: each is asked.
    let Ok(statement) = sql::render(Query::GuardRows, dialect, &[("table", all)]) else { return false };
    let found = explained(relation, &statement, &|row| plan::rows_by_name(dialect, row)).await;
    let found: Vec<_> = found.into_iter().flatten().flatten().collect();
    let small =
        |(it, (name, rows)): (&T, &(String, u64))| it.relation().own_name == *name && is_small(it, *rows);
    found.len() == group.len() && group.iter().zip(&found).all(small)
}

/// About how many rows it has; `None` where nobody knows.
async fn rows(relation: &Relation) -> Option<u64> {
    let dialect = relation.db.dialect();
    let slot = match dialect {
        Dialect::Sqlite => ("name", Fragment::value(Value::Text(relation.own_name.clone()))),
        Dialect::Postgres | Dialect::Mysql => ("table", Fragment::text(&relation.sql)),
    };
    let statement = sql::render(Query::GuardRows, dialect, &[slot]).ok()?;
    let rows = explained(relation, &statement, &|row| plan::rows(dialect, row)).await;
    rows?.into_iter().max()
}

/// About how many rows a statement gives; `None` where nobody knows. Nothing is read.
pub(super) async fn about(relation: &Relation, statement: &Statement) -> Option<u64> {
    let dialect = relation.db.dialect();
    let explain = sql::render(Query::GuardPlan, dialect, &[("statement", statement.fragment())]).ok()?;
    explained(relation, &explain, &|row| plan::rows(dialect, row)).await?.into_iter().max()
}

/// Whether the server would read a whole table for a statement.
async fn scans(relation: &Relation, statement: &Statement) -> bool {
    ways(relation, statement).await.is_some_and(|ways| ways.iter().any(|(scans, _)| *scans))
}

/// Whether it would not, and find about so many rows at the most, as far as its planner tells.
pub(super) async fn is_short(relation: &Relation, statement: &Statement, rows_max: usize) -> bool {
    let few = |rows: Option<u64>| rows.is_none_or(|rows| rows <= rows_max as u64);
    ways(relation, statement).await.is_some_and(|ways| ways.iter().all(|(scans, rows)| !scans && few(*rows)))
}

/// Of each step of a plan whether it reads a whole table, and about how many rows it finds.
async fn ways(relation: &Relation, statement: &Statement) -> Option<Vec<(bool, Option<u64>)>> {
    let dialect = relation.db.dialect();
    let slots = [("statement", statement.fragment())];
    let explain = sql::render(Query::GuardPlan, dialect, &slots).ok()?;
    let whole = |index: &str| relation.holds_all_rows(index);
    // What SQLite says of its way has no numbers.
    let rows = |row: &dyn Fields| plan::rows(dialect, row).filter(|_| dialect != Dialect::Sqlite);
    explained(relation, &explain, &|row| Some((plan::scans(dialect, row, &whole), rows(row)))).await
}

/// What `look` finds in the rows of a plan; `None` where the server gives none: a view that may be read, but not looked
/// into, or a file that nobody has analysed.
async fn explained<T: Send>(
    relation: &Relation,
    statement: &Statement,
    look: &(dyn Fn(&dyn Fields) -> Option<T> + Sync),
) -> Option<Vec<T>> {
    let found = relation.db.collect(statement, Some(&relation.name), &|row| Ok(look(row))).await;
    found.inspect_err(|error| tracing::debug!("no plan: {error}")).ok().map(|rows| rows.found)
}
