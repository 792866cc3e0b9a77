//! A table or view, as the catalogue describes it, and the questions that are put to it before any row is read.

use super::alike;
use super::catalogue::{self, Declared, Described, Index};
use super::cell::{Cell, ColumnType, Fields};
use super::database::Database;
use super::error::{ErrorKind, Failure, SourceError};
use super::sql::{self, Fragment, Query, Statement, Value};
use crate::config::{Dialect, Expression, Table};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
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
    /// Asks the catalogue, and for the types of expressions: see [`Self::types`].
    pub async fn open(db: &Database, table: &Table, asked: &[Asked]) -> Result<(Self, Types), SourceError> {
        let opened = Self::open_all(db, std::slice::from_ref(table), asked).await?;
        opened.into_iter().next().ok_or_else(|| SourceError::broken(db.name(), "no table was opened"))
    }

    /// The same of several tables. Shards are alike, and so are those of their expressions.
    pub async fn open_all(
        db: &Database,
        tables: &[Table],
        asked: &[Asked],
    ) -> Result<Vec<(Self, Types)>, SourceError> {
        let described = match catalogue::describe(db, tables).await {
            Ok(described) => described,
            Err(error) => return Err(Self::at_fault(db, tables).await.unwrap_or(error)),
        };
        let relations = tables.iter().zip(described).map(|(table, it)| Self::of(db, table, it));
        let relations: Vec<_> = relations.collect();
        let mut types = Vec::with_capacity(relations.len());
        for group in alike::groups(&relations) {
            let of_first = group[0].types(asked).await?;
            let probe = |it: &Self| it.probe(asked, 0).map(Some);
            let run = alike::rows(&group[1..], probe, &|_| Ok(None::<()>)).await?.is_some();
            let each = group[1..].iter().map(async |relation| {
                let runs = run || relation.runs(asked).await.is_ok();
                if runs { Ok(of_first.clone()) } else { relation.types(asked).await }
            });
            let rest: Vec<_> = stream::iter(each).buffered(db.tables_at_once()).try_collect().await?;
            types.push(of_first);
            types.extend(rest);
        }
        Ok(relations.into_iter().zip(types).collect())
    }

    /// Whether what is learnt of one holds of the other: shards declare the same columns.
    pub fn is_like(&self, other: &Self) -> bool {
        !self.columns.is_empty() && self.columns == other.columns && self.db.name() == other.db.name()
    }

    /// What is wrong with the first of several tables that cannot be read at all.
    async fn at_fault(db: &Database, tables: &[Table]) -> Option<SourceError> {
        for table in tables {
            let relation = Self::of(db, table, Described::default());
            if let Err(error) = relation.types_of(&[Asked::value("table", "1")]).await {
                return Some(error);
            }
        }
        None
    }

    fn of(db: &Database, table: &Table, Described { columns, indexes }: Described) -> Self {
        Self {
            db: db.clone(),
            name: table.to_string(),
            sql: sql::quote_table(db.dialect(), table),
            own_name: table.0.last().cloned().unwrap_or_default(),
            columns,
            indexes,
        }
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

    /// The types of expressions. A table that is not there or may not be read is an error; where an expression is at fault,
    /// the error names its key.
    pub async fn types(&self, asked: &[Asked]) -> Result<Types, SourceError> {
        let error = match self.types_of(asked).await {
            Ok(types) => return Ok(asked.iter().map(|it| it.key.clone()).zip(types).collect()),
            Err(error) => error,
        };
        if matches!(error.kind, ErrorKind::Missing | ErrorKind::Configuration | ErrorKind::Other)
            && asked.len() > 1
        {
            // It may be the table itself.
            self.types_of(&[Asked::value("table", "1")]).await?;
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
        let types = self.db.describe(&self.probe(asked, 0)?, Some(&self.name)).await?;
        self.runs(asked).await?;
        Ok(types)
    }

    /// Rights are checked when a statement runs.
    async fn runs(&self, asked: &[Asked]) -> Result<(), SourceError> {
        self.db.collect(&self.probe(asked, 0)?, Some(&self.name), &|_| Ok(None::<()>)).await.map(|_| ())
    }

    /// A statement that gives the expressions' values in some rows.
    pub fn probe(&self, asked: &[Asked], rows: i64) -> Result<Statement, SourceError> {
        let expressions = Fragment::join(asked.iter().map(|it| it.fragment.clone()), ",\n    ");
        let limit = Fragment::value(Value::Int(rows));
        self.statement(Query::Probe, &[("expressions", expressions), ("limit", limit)])
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
