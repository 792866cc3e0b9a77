//! What the catalogue says of tables: asked of many at once, since opening dozens of shards takes as many round trips as
//! statements.

use super::cell::Fields;
use super::database::Database;
use super::error::{ErrorKind, SourceError};
use super::sql::{self, Fragment, Query, RenderError, Statement, Value};
use crate::config::{Dialect, Table};

/// So many tables are asked about by one statement.
const AT_ONCE: usize = 16;

/// A table, as the catalogue has it; empty where it has none.
#[derive(Debug, Default)]
pub struct Described {
    /// In the table's order.
    pub columns: Vec<Declared>,
    /// By name.
    pub indexes: Vec<Index>,
}

/// A column.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Declared {
    /// As the catalogue spells it.
    pub name: String,
    /// Its type in the words of the server.
    pub type_name: String,
    /// Texts that differ only in case are the same.
    pub ignores_case: bool,
    /// It is kept as bytes, or as text in UTF-8.
    pub utf8: bool,
    /// By which its texts are compared; empty where that is not said.
    pub collation: String,
}

/// An index.
#[derive(Debug, Default)]
pub struct Index {
    /// Its name.
    pub name: String,
    /// No two rows have the same in its columns.
    pub unique: bool,
    /// It holds some rows only.
    pub partial: bool,
    /// `None` is an expression.
    pub columns: Vec<Option<String>>,
}

/// What the catalogue says of each of the tables, in their order.
pub async fn describe(db: &Database, tables: &[Table]) -> Result<Vec<Described>, SourceError> {
    let mut all = Vec::with_capacity(tables.len());
    for some in tables.chunks(AT_ONCE) {
        let (columns, indexes) = (columns(db, some).await?, indexes(db, some).await?);
        all.extend(columns.into_iter().zip(indexes).map(|(columns, indexes)| Described { columns, indexes }));
    }
    Ok(all)
}

async fn columns(db: &Database, tables: &[Table]) -> Result<Vec<Vec<Declared>>, SourceError> {
    let rows = ask(db, Query::Columns, tables, &|row| Declared {
        name: row.cell(2).text().unwrap_or_default(),
        type_name: row.cell(3).text().unwrap_or_default(),
        ignores_case: row.cell(4).integer() == Some(1),
        utf8: row.cell(5).integer() == Some(1),
        collation: row.cell(6).text().unwrap_or_default(),
    });
    match rows.await {
        Ok(columns) => Ok(columns),
        // An old server whose catalogue lacks a table: without it nothing is alike, and nothing is warned of.
        Err(error) if error.kind == ErrorKind::Missing => Ok(tables.iter().map(|_| Vec::new()).collect()),
        Err(error) => Err(error),
    }
}

async fn indexes(db: &Database, tables: &[Table]) -> Result<Vec<Vec<Index>>, SourceError> {
    let rows = ask(db, Query::Indexes, tables, &|row| {
        let flag = |place| row.cell(place).integer() == Some(1);
        let name = row.cell(2).text().unwrap_or_default();
        Index { name, unique: flag(3), partial: flag(4), columns: vec![row.cell(5).text()] }
    });
    Ok(rows.await?.into_iter().map(joined).collect())
}

/// Each index, of which a row holds one column.
fn joined(mut parts: Vec<Index>) -> Vec<Index> {
    // Those of one keep their order.
    parts.sort_by(|one, other| one.name.cmp(&other.name));
    let mut indexes: Vec<Index> = Vec::new();
    for part in parts {
        match indexes.last_mut() {
            Some(last) if last.name == part.name => last.columns.extend(part.columns),
            _ => indexes.push(part),
        }
    }
    indexes
}

/// Runs a query whose rows begin with the table's place among all, from 1, and a place within the table, in whose order
/// they are given for each table.
async fn ask<T: Send>(
    db: &Database,
    query: Query,
    tables: &[Table],
    decode: &(dyn Fn(&dyn Fields) -> T + Sync),
) -> Result<Vec<Vec<T>>, SourceError> {
    let statement = statement(db.dialect(), query, tables);
    let Some(statement) = statement.map_err(|error| db.error(error.into(), None))? else {
        return Ok(Vec::new());
    };
    let place = |row: &dyn Fields, column| row.cell(column).integer().unwrap_or_default();
    let keep = |row: &dyn Fields| Ok(Some((place(row, 0), place(row, 1), decode(row))));
    let mut rows = db.collect(&statement, Some(&names(tables)), &keep).await?.found;
    rows.sort_by_key(|(table, place, _)| (*table, *place));
    let mut all: Vec<Vec<T>> = tables.iter().map(|_| Vec::new()).collect();
    for (table, _, row) in rows {
        if let Some(table) = usize::try_from(table - 1).ok().and_then(|table| all.get_mut(table)) {
            table.push(row);
        }
    }
    Ok(all)
}

/// For messages.
fn names(tables: &[Table]) -> String {
    match tables {
        [first, .., last] => format!("{first} to {last}"),
        _ => tables.iter().map(ToString::to_string).collect(),
    }
}

/// PostgreSQL is given all names in one list, since it plans what each part of a union needs anew. MySQL opens all tables
/// of a schema unless it is asked for one.
fn statement(dialect: Dialect, query: Query, tables: &[Table]) -> Result<Option<Statement>, RenderError> {
    if dialect == Dialect::Postgres {
        let ids = tables.iter().map(|table| {
            let name = Fragment::value(Value::Text(sql::quote_table(dialect, table)));
            Fragment::text("to_regclass(").and(name).and_text(")")
        });
        let ids = Fragment::text("ARRAY[").and(Fragment::join(ids, ", ")).and_text("]");
        return sql::render(query, dialect, &[("tables", ids)]).map(Some);
    }
    let each = (1_usize..).zip(tables).map(|(place, table)| {
        let (name, schema) = name_and_schema(dialect, table);
        let place = Fragment::text(place.to_string());
        sql::render(query, dialect, &[("place", place), ("name", name), ("schema", schema)])
    });
    Ok(Statement::union(&each.collect::<Result<Vec<_>, _>>()?))
}

fn name_and_schema(dialect: Dialect, table: &Table) -> (Fragment, Fragment) {
    let text = |text: &str| Fragment::value(Value::Text(text.to_owned()));
    match table.0.as_slice() {
        [.., schema, name] => (text(name), text(schema)),
        [name] if dialect == Dialect::Sqlite => (text(name), text("main")),
        [name] => (text(name), "DATABASE()".into()),
        [] => (text(""), text("")),
    }
}
