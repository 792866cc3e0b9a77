//! How an event table is opened: its columns, conditions and indexes are probed.

use super::{EventTable, short, unacked};
use crate::config::{self, Dialect, StateRule};
use crate::model::Micros;
use crate::source::cell::{ColumnType, Kind};
use crate::source::database::Database;
use crate::source::id_column::IdColumn;
use crate::source::relation::{Asked, Relation, Types};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, condition, notes, sql, type_of};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

const ID: &str = "events.id";
const CREATED: &str = "events.created_at";
const ACKED: &str = "events.acked_at";
const ATTEMPTS: &str = "events.attempts";

impl EventTable {
    /// Opens it: probes its columns, conditions and indexes. `expects` has one entry for each consumer of the flow.
    ///
    /// # Errors
    /// If the table or a column is missing, may not be read, or does not fit what the configuration says of it.
    pub async fn open(
        db: &Database,
        table: &config::Table,
        events: &config::Events,
        expects: &[Option<String>],
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        let opened = Self::open_all(db, std::slice::from_ref(table), events, expects, as_of).await?;
        opened.into_iter().next().ok_or_else(|| SourceError::broken(db.name(), "no table was opened"))
    }

    /// The same of several tables, some at a time; what is alike in them is asked for once.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_all(
        db: &Database,
        tables: &[config::Table],
        events: &config::Events,
        expects: &[Option<String>],
        as_of: Micros,
    ) -> Result<Vec<Self>, SourceError> {
        let relations = Relation::open_all(db, tables, &asked(db.dialect(), events, expects)).await?;
        let opened =
            relations.into_iter().map(|(relation, types)| Self::of(relation, types, events, expects, as_of));
        stream::iter(opened).buffered(db.tables_at_once()).try_collect().await
    }

    async fn of(
        relation: Relation,
        types: Types,
        events: &config::Events,
        expects: &[Option<String>],
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        let dialect = relation.db.dialect();
        let id =
            IdColumn::new(&relation, ID, &events.id, type_of(&types, ID)).map_err(|it| relation.error(it))?;
        let mut stamps = [None, None];
        for (slot, (key, column)) in
            stamps.iter_mut().zip([(CREATED, &events.created_at), (ACKED, &events.acked_at)])
        {
            if let Some(column) = column {
                *slot = Some(TimeColumn::open(&relation, key, column, type_of(&types, key), as_of).await?);
            }
        }
        let [created, acked] = stamps;
        let attempts =
            events.attempts.as_ref().map(|column| attempts(dialect, column, type_of(&types, ATTEMPTS)));
        let notes = notes::of(&relation, &[&id], &[&acked, &created], &[]);
        let mut table = Self {
            filter: condition(events.filter.as_deref()),
            states: events.states.clone(),
            expects: expects.to_vec(),
            relation,
            id,
            created,
            acked,
            attempts,
            notes,
            short: None,
            ahead: unacked::Ahead::new(),
            tables: events.tables.len().max(1),
        };
        table.short = short::form(&table);
        Ok(table)
    }
}

fn asked(dialect: Dialect, events: &config::Events, expects: &[Option<String>]) -> Vec<Asked> {
    let sql = |expression| sql::expression(dialect, expression);
    let mut asked = vec![Asked::value(ID, sql(&events.id.expression))];
    asked.extend(events.created_at.iter().map(|column| Asked::value(CREATED, sql(&column.expression))));
    asked.extend(events.acked_at.iter().map(|column| Asked::value(ACKED, sql(&column.expression))));
    asked.extend(events.attempts.iter().map(|column| Asked::value(ATTEMPTS, sql::quote(dialect, column))));
    asked.extend(events.filter.iter().map(|condition| Asked::condition("events.where", condition)));
    asked.extend(events.states.iter().map(|(rule, condition)| Asked::condition(rule_key(*rule), condition)));
    let conditions = expects.iter().enumerate().filter_map(|(place, it)| Some((place, it.as_ref()?)));
    asked.extend(conditions.map(|(place, it)| Asked::condition(&format!("consumers[{place}].expects"), it)));
    asked
}

fn rule_key(rule: StateRule) -> &'static str {
    match rule {
        StateRule::Acked => "events.acked",
        StateRule::Pending => "events.pending",
        StateRule::Failed => "events.failed",
    }
}

/// Decimal numbers of PostgreSQL are read as text.
fn attempts(dialect: Dialect, column: &str, found: &ColumnType) -> String {
    let quoted = sql::quote(dialect, column);
    match (dialect, found.kind) {
        (Dialect::Postgres, Kind::Decimal | Kind::Other) => format!("({quoted})::text"),
        _ => quoted,
    }
}
