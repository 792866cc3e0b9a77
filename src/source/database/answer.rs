//! One statement on one session: its values bound, its rows as they come, and a limit to all of it.

use super::sessions::{Session, Sessions};
use super::{Server, Sink};
use crate::source::cell::{Cell, ColumnType, Fields, Kind};
use crate::source::error::{ErrorKind, Failure};
use crate::source::sql::{self, Query, Statement};
use futures_util::TryStreamExt as _;
use sqlx::{Column as _, Executor, IntoArguments, Row as _, SqlSafeStr as _, Statement as _};
use std::time::Duration;

struct View<'r, D: Server> {
    row: &'r D::Row,
    kinds: &'r [Kind],
}

impl<D: Server> Fields for View<'_, D> {
    fn cell(&self, index: usize) -> Cell<'_> {
        self.kinds.get(index).map_or(Cell::Null, |kind| D::cell(self.row, index, *kind))
    }

    fn named(&self, name: &str) -> Cell<'_> {
        let place = self.row.columns().iter().position(|column| column.name().eq_ignore_ascii_case(name));
        place.map_or(Cell::Null, |place| self.cell(place))
    }
}

/// Runs a statement and hands over its rows.
pub(super) async fn stream<D>(
    sessions: &Sessions<D>,
    statement: &Statement,
    limit: Duration,
    sink: &mut Sink<'_>,
) -> Result<(), Failure>
where
    D: Server,
    D::Arguments: IntoArguments<D>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut session = sessions.take().await?;
    let outcome = tokio::time::timeout(limit, answer(&mut session, statement, sink)).await;
    let outcome = outcome.unwrap_or_else(|_| Err(silence(limit)));
    // Else rows may still be under way on it, which nobody else shall read.
    match &outcome {
        Ok(()) => sessions.keep(session),
        Err(failure) if failure.kind == ErrorKind::Transient => sessions.doubt(),
        Err(_) => {}
    }
    outcome
}

/// Makes room before the first long answer.
async fn answer<D>(
    session: &mut Session<'_, D>,
    statement: &Statement,
    sink: &mut Sink<'_>,
) -> Result<(), Failure>
where
    D: Server,
    D::Arguments: IntoArguments<D>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    if statement.is_long() && !session.roomy {
        let room = sql::render(Query::MakeRoom, statement.dialect(), &[])?;
        drain::<D>(&mut session.connection, &room, &mut |_| Ok(())).await?;
        session.roomy = true;
    }
    drain::<D>(&mut session.connection, statement, sink).await
}

/// The same on a session.
pub(super) async fn drain<D>(
    connection: &mut D::Connection,
    statement: &Statement,
    sink: &mut Sink<'_>,
) -> Result<(), Failure>
where
    D: Server,
    D::Arguments: IntoArguments<D>,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut arguments = D::Arguments::default();
    for value in statement.values() {
        D::bind(&mut arguments, value).map_err(|error| Failure::other(error.to_string()))?;
    }
    let mut rows = connection.fetch(sqlx::query_with(statement.sql(), arguments));
    let mut kinds = Vec::new();
    while let Some(row) = rows.try_next().await? {
        if kinds.is_empty() {
            kinds = row.columns().iter().map(|column| D::column_type(column.type_info()).kind).collect();
        }
        sink(&View::<D> { row: &row, kinds: &kinds }).map_err(Failure::configuration)?;
    }
    Ok(())
}

/// The types of a statement's columns.
pub(super) async fn describe<D>(
    sessions: &Sessions<D>,
    statement: &Statement,
    limit: Duration,
) -> Result<Vec<ColumnType>, Failure>
where
    D: Server,
    for<'c> &'c mut D::Connection: Executor<'c, Database = D>,
{
    let mut session = sessions.take().await?;
    let sql = statement.sql().into_sql_str();
    let prepared = tokio::time::timeout(limit, session.connection.prepare(sql)).await;
    let prepared = prepared.map_err(|_| silence(limit))??;
    let types = prepared.columns().iter().map(|column| D::column_type(column.type_info())).collect();
    sessions.keep(session);
    Ok(types)
}

pub(super) fn silence(limit: Duration) -> Failure {
    Failure { kind: ErrorKind::Transient, message: format!("no answer within {} s", limit.as_secs()) }
}
