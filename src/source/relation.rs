//! A table or view, as the catalogue describes it, and the questions that are put to it before any row is read.

use super::cell::{Cell, ColumnType, Fields};
use super::database::Database;
use super::error::{ErrorKind, Failure, SourceError};
use super::sql::{self, Fragment, Query, Statement, Value};
use crate::config::{Dialect, Expression, Table};
use std::collections::BTreeMap;

/// A table that is being read.
#[derive(Debug)]
pub struct Relation {
    /// Where it is.
    pub db: Database,
    /// Its name, for messages.
    pub name: String,
    /// Its quoted name.
    pub sql: String,
    /// Its name without a schema's.
    pub own_name: String,
    columns: Vec<Declared>,
    indexes: Vec<Index>,
}

#[derive(Debug)]
struct Declared {
    name: String,
    type_name: String,
    ignores_case: bool,
    utf8: bool,
}

#[derive(Debug, Default)]
struct Index {
    name: String,
    unique: bool,
    partial: bool,
    /// `None` is an expression.
    columns: Vec<Option<String>>,
}

/// An expression that is asked about, under the key that holds it in the configuration.
pub struct Asked {
    /// For messages: `events.acked_at`.
    pub key: String,
    /// What is asked.
    pub fragment: Fragment,
}

impl Asked {
    /// A column or an expression.
    pub fn value(key: &str, sql: impl Into<String>) -> Self {
        Self { key: key.to_owned(), fragment: Fragment::text(sql) }
    }

    /// A condition.
    pub fn condition(key: &str, condition: &str) -> Self {
        let fragment =
            Fragment::text("CASE WHEN ").and(Fragment::condition(condition)).and_text(" THEN 1 ELSE 0 END");
        Self { key: key.to_owned(), fragment }
    }
}

/// The types that were found, by key.
pub type Types = BTreeMap<String, ColumnType>;

impl Relation {
    /// Asks the catalogue. A table that is not there or may not be read is an error.
    pub async fn open(db: &Database, table: &Table) -> Result<Self, SourceError> {
        let mut relation = Self {
            db: db.clone(),
            name: table.to_string(),
            sql: sql::quote_table(db.dialect(), table),
            own_name: table.0.last().cloned().unwrap_or_default(),
            columns: Vec::new(),
            indexes: Vec::new(),
        };
        relation.types(&[Asked::value("table", "1")]).await?;
        relation.columns = relation.ask_columns(table).await?;
        relation.indexes = relation.ask_indexes(table).await?;
        Ok(relation)
    }

    /// A failure, with this table's name.
    pub fn error(&self, failure: Failure) -> SourceError {
        self.db.error(failure, Some(&self.name))
    }

    /// Fills the slots of a query; the table's own is filled already.
    pub fn statement(&self, query: Query, slots: &[(&str, Fragment)]) -> Result<Statement, SourceError> {
        self.statement_along(None, query, slots)
    }

    /// The same along an index, where MySQL might rather read the whole table.
    pub fn statement_along(
        &self,
        index: Option<&str>,
        query: Query,
        slots: &[(&str, Fragment)],
    ) -> Result<Statement, SourceError> {
        let along = index.map(|name| format!(" FORCE INDEX ({})", sql::quote(self.db.dialect(), name)));
        let table = [("table", Fragment::text(format!("{}{}", self.sql, along.unwrap_or_default())))];
        let slots = [&table, slots].concat();
        sql::render(query, self.db.dialect(), &slots).map_err(|error| self.error(error.into()))
    }

    /// The types of expressions. Where one of them is at fault, the error names its key.
    pub async fn types(&self, asked: &[Asked]) -> Result<Types, SourceError> {
        let error = match self.types_of(asked).await {
            Ok(types) => return Ok(asked.iter().map(|it| it.key.clone()).zip(types).collect()),
            Err(error) => error,
        };
        if matches!(error.kind, ErrorKind::Missing | ErrorKind::Configuration | ErrorKind::Other)
            && asked.len() > 1
        {
            for one in asked {
                if let Err(error) = self.types_of(std::slice::from_ref(one)).await {
                    return Err(SourceError {
                        message: format!("`{}`: {}", one.key, error.message),
                        ..error
                    });
                }
            }
        }
        Err(error)
    }

    async fn types_of(&self, asked: &[Asked]) -> Result<Vec<ColumnType>, SourceError> {
        let statement = self.probe(asked, 0)?;
        let types = self.db.describe(&statement, Some(&self.name)).await?;
        // Rights are checked when a statement runs.
        self.db.collect(&statement, Some(&self.name), &|_| Ok(None::<()>)).await?;
        Ok(types)
    }

    /// A statement that gives the expressions' values in some rows.
    pub fn probe(&self, asked: &[Asked], rows: i64) -> Result<Statement, SourceError> {
        let expressions = Fragment::join(asked.iter().map(|it| it.fragment.clone()), ",\n    ");
        let limit = Fragment::value(Value::Int(rows));
        self.statement(Query::Probe, &[("expressions", expressions), ("limit", limit)])
    }

    fn catalogue_name(&self, table: &Table) -> Vec<(&'static str, Fragment)> {
        let text = |text: &str| Fragment::value(Value::Text(text.to_owned()));
        let (name, schema) = match table.0.as_slice() {
            [] => ("", None),
            [name] => (name.as_str(), None),
            [.., schema, name] => (name.as_str(), Some(schema.as_str())),
        };
        match (self.db.dialect(), schema) {
            (Dialect::Postgres, _) => vec![("name", text(&self.sql))],
            (Dialect::Sqlite, schema) => {
                vec![("name", text(name)), ("schema", text(schema.unwrap_or("main")))]
            }
            (Dialect::Mysql, Some(schema)) => vec![("name", text(name)), ("schema", text(schema))],
            (Dialect::Mysql, None) => vec![("name", text(name)), ("schema", "DATABASE()".into())],
        }
    }

    async fn ask_columns(&self, table: &Table) -> Result<Vec<Declared>, SourceError> {
        let slots = self.catalogue_name(table);
        let statement =
            sql::render(Query::Columns, self.db.dialect(), &slots).map_err(|e| self.error(e.into()))?;
        let rows = self.db.collect(&statement, Some(&self.name), &|row| {
            Ok(Some(Declared {
                name: row.cell(0).text().unwrap_or_default(),
                type_name: row.cell(1).text().unwrap_or_default(),
                ignores_case: row.cell(2).integer() == Some(1),
                utf8: row.cell(3).integer() == Some(1),
            }))
        });
        match rows.await {
            Ok(rows) => Ok(rows.found),
            // An old server whose catalogue lacks a table: what is read from it is only for warnings.
            Err(error) if error.kind == ErrorKind::Missing => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    async fn ask_indexes(&self, table: &Table) -> Result<Vec<Index>, SourceError> {
        let slots = self.catalogue_name(table);
        let statement =
            sql::render(Query::Indexes, self.db.dialect(), &slots).map_err(|e| self.error(e.into()))?;
        let rows = self.db.collect(&statement, Some(&self.name), &|row| {
            let flag = |place| row.cell(place).integer() == Some(1);
            let name = row.cell(0).text().unwrap_or_default();
            Ok(Some(Index { name, unique: flag(1), partial: flag(2), columns: vec![row.cell(4).text()] }))
        });
        let mut indexes: Vec<Index> = Vec::new();
        for part in rows.await?.found {
            match indexes.last_mut() {
                Some(last) if last.name == part.name => last.columns.extend(part.columns),
                _ => indexes.push(part),
            }
        }
        Ok(indexes)
    }

    fn same(&self, one: &str, other: &str) -> bool {
        match self.db.dialect() {
            Dialect::Postgres => one == other,
            Dialect::Sqlite | Dialect::Mysql => one.eq_ignore_ascii_case(other),
        }
    }

    /// Whether an index over all rows leads with a column.
    pub fn leads(&self, column: &str) -> bool {
        self.leads_behind(&[], column)
    }

    /// Whether an index over all rows leads with a column, or has only columns before it whose values a statement fixes.
    pub fn leads_behind(&self, fixed: &[&str], column: &str) -> bool {
        self.indexes.iter().any(|index| self.leads_with(index, fixed, column))
    }

    fn leads_with(&self, index: &Index, fixed: &[&str], column: &str) -> bool {
        let free = |it: &&str| !fixed.iter().any(|fixed| self.same(it, fixed));
        let leading = index.columns.iter().map_while(Option::as_deref).find(free);
        !index.partial && leading.is_some_and(|it| self.same(it, column))
    }

    /// On MySQL an index over all rows that leads with a column, behind none but `fixed` ones, and holds all that is needed,
    /// be it by the primary key, which stands behind every other: a span of it is read faster than the table, however long
    /// it is.
    pub async fn covering(&self, fixed: &[&str], column: &str, needed: &[&str]) -> Option<String> {
        for index in self.covering_by_catalogue(fixed, column, needed) {
            // The catalogue also lists indexes that statements may not use, and each server calls them something else.
            let nothing = [("expressions", "1".into()), ("limit", Fragment::value(Value::Int(0)))];
            let probe = self.statement_along(Some(index), Query::Probe, &nothing).ok()?;
            if self.db.collect(&probe, Some(&self.name), &|_| Ok(None::<()>)).await.is_ok() {
                return Some(index.to_owned());
            }
        }
        None
    }

    fn covering_by_catalogue(&self, fixed: &[&str], column: &str, needed: &[&str]) -> Vec<&str> {
        let primary = self.indexes.iter().find(|index| index.name == "PRIMARY");
        let Some(primary) = primary.filter(|_| self.db.dialect() == Dialect::Mysql) else {
            return Vec::new();
        };
        let holds = |index: &Index, wanted: &str| {
            index.columns.iter().chain(&primary.columns).flatten().any(|own| self.same(own, wanted))
        };
        let covers = |index: &&Index| {
            index.name != primary.name
                && self.leads_with(index, fixed, column)
                && needed.iter().all(|wanted| holds(index, wanted))
        };
        // Behind more columns that are fixed there are fewer rows to go through.
        let place = |index: &&Index| index.columns.iter().flatten().position(|own| self.same(own, column));
        let mut covering: Vec<_> = self.indexes.iter().filter(covers).collect();
        covering.sort_by_key(|index| std::cmp::Reverse(place(index)));
        covering.into_iter().map(|index| index.name.as_str()).collect()
    }

    /// Whether the first column of an index is this one.
    pub fn begins_with(&self, index: &str, column: &str) -> bool {
        let first = self.indexes.iter().find(|it| it.name == index).and_then(|it| it.columns.first());
        first.and_then(Option::as_deref).is_some_and(|it| self.same(it, column))
    }

    /// Whether any index holds a column.
    pub fn indexes_hold(&self, column: &str) -> bool {
        self.indexes.iter().any(|index| index.columns.iter().flatten().any(|it| self.same(it, column)))
    }

    /// Whether there is such an index, and over all rows.
    pub fn holds_all_rows(&self, index: &str) -> bool {
        self.indexes.iter().any(|it| !it.partial && self.same(&it.name, index))
    }

    /// Whether a unique index over all rows has only these columns.
    pub fn unique_within(&self, columns: &[&str]) -> bool {
        let known = |it: &Option<String>| {
            it.as_ref().is_some_and(|it| columns.iter().any(|column| self.same(it, column)))
        };
        self.indexes.iter().any(|index| {
            index.unique && !index.partial && !index.columns.is_empty() && index.columns.iter().all(known)
        })
    }

    /// Whether there is anything to say of indexes: a view has none of its own.
    pub fn has_indexes(&self) -> bool {
        !self.indexes.is_empty()
    }

    /// Whether the database takes texts that differ only in case for the same.
    pub fn ignores_case(&self, column: &str) -> bool {
        self.columns.iter().any(|it| it.ignores_case && self.same(&it.name, column))
    }

    /// The declared type of a column; empty where there is none.
    pub fn declared(&self, expression: &Expression) -> &str {
        self.column(expression).map_or("", |it| &it.type_name)
    }

    /// Whether the server keeps a column's values as bytes, or as text in UTF-8; false where that is not known.
    pub fn holds_utf8(&self, expression: &Expression) -> bool {
        self.column(expression).is_some_and(|it| it.utf8)
    }

    fn column(&self, expression: &Expression) -> Option<&Declared> {
        let Expression::Column(column) = expression else { return None };
        self.columns.iter().find(|it| self.same(&it.name, column))
    }

    /// The affinity of a column, on SQLite.
    pub fn affinity(&self, expression: &Expression) -> Affinity {
        if self.db.dialect() != Dialect::Sqlite || matches!(expression, Expression::Sql(_)) {
            return Affinity::None;
        }
        Affinity::of(self.declared(expression))
    }

    /// Whether a column is SQLite's row number, which takes whole numbers only.
    pub fn is_row_number(&self, column: &str) -> bool {
        self.indexes.iter().any(|index| {
            index.name == "(primary key)"
                && index.columns.len() == 1
                && index.columns[0].as_deref().is_some_and(|it| self.same(it, column))
        }) && self.declared(&Expression::Column(column.to_owned())).eq_ignore_ascii_case("integer")
    }

    /// Some rows' values of the expressions, handed to `look`; a complaint of it is an error.
    pub async fn sample(
        &self,
        asked: &[Asked],
        look: &(dyn Fn(usize, Cell<'_>) -> Result<(), String> + Sync),
    ) -> Result<(), SourceError> {
        if asked.is_empty() {
            return Ok(());
        }
        let statement = self.probe(asked, SAMPLE)?;
        let decode = |row: &dyn Fields| {
            (0..asked.len()).try_for_each(|place| look(place, row.cell(place)))?;
            Ok(None::<()>)
        };
        self.db.collect(&statement, Some(&self.name), &decode).await.map(|_| ())
    }
}

/// So many rows are looked at before reading.
const SAMPLE: i64 = 100;

/// What SQLite does to a value when it is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Affinity {
    /// Nothing.
    None,
    /// Numbers become text.
    Text,
    /// Text that looks like a number becomes one.
    Number,
}

impl Affinity {
    /// By SQLite's own rules, in their order.
    fn of(declared: &str) -> Self {
        let declared = declared.to_ascii_uppercase();
        let has = |words: &[&str]| words.iter().any(|word| declared.contains(word));
        match () {
            () if has(&["INT"]) => Self::Number,
            () if has(&["CHAR", "CLOB", "TEXT"]) => Self::Text,
            () if declared.is_empty() || has(&["BLOB"]) => Self::None,
            () => Self::Number,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn affinity_follows_sqlites_rules() {
        for (declared, affinity) in [
            ("INTEGER", Affinity::Number),
            ("VARCHAR(36)", Affinity::Text),
            ("STRING", Affinity::Number),
            ("JSON", Affinity::Number),
            ("UUID", Affinity::Number),
            ("CHARINT", Affinity::Number),
            ("BLOB", Affinity::None),
            ("", Affinity::None),
            ("text", Affinity::Text),
        ] {
            assert_eq!(Affinity::of(declared), affinity, "{declared}");
        }
    }
}
