//! One physical event table.

mod aside;
mod opening;
mod packed;
mod scans;
mod short;
mod sketch;
mod unacked;

pub use short::EventSlice;
pub use sketch::Counted;

use super::cell::Fields;
use super::conditions::{bits, code, state};
use super::database::Database;
use super::id_column::IdColumn;
use super::look_up;
use super::relation::Relation;
use super::short::{Put, ShortForm};
use super::sql::{Fragment, Query, Statement};
use super::time_column::TimeColumn;
use super::{Slicing, SourceError, limit, shown_limit};
use crate::config::StateRule;
use crate::model::event::Stamp;
use crate::model::{Event, Id, Micros, Span, State};

/// One physical event table; a flow with shards holds several.
#[derive(Debug)]
pub struct EventTable {
    relation: Relation,
    filter: Fragment,
    id: IdColumn,
    created: Option<TimeColumn>,
    acked: Option<TimeColumn>,
    states: Vec<(StateRule, String)>,
    attempts: Option<String>,
    expects: Vec<Option<String>>,
    notes: Vec<String>,
    short: Option<ShortForm>,
    ahead: unacked::Ahead,
    /// Of the flow.
    tables: usize,
}

/// Consumers in each of the two bit sets of a row.
const BITS: usize = 32;

impl EventTable {
    /// Where it is.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.relation.db
    }

    /// How a range has to be cut for reading.
    #[must_use]
    pub fn slicing(&self) -> Slicing {
        super::slicing([&self.created, &self.acked])
    }

    /// Whether the database guarantees that no id comes twice.
    #[must_use]
    pub fn ids_unique(&self) -> bool {
        self.id.keeps_distinct()
            && self.id.column().is_some_and(|column| self.relation.unique_within(&[column]))
    }

    /// Whether an index serves look-ups by id.
    #[must_use]
    pub fn look_up_indexed(&self) -> bool {
        look_up::indexed(&self.relation, &[&self.id], &[])
    }

    /// Warnings for the plan and the report.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The rows whose place may lie in the slice: by their ack time, or by their creation time where the ack time is
    /// NULL or unusable. `None` if there are more than `max_rows`. A row whose time is text that only looks like a time
    /// to the server comes without any stamp in the slice into which its text sorts; rows without anything that looks
    /// like a time are left to [`Self::undated`].
    ///
    /// # Errors
    /// If the rows cannot be read, or hold times that need a zone or a unit that is not declared.
    pub async fn read(&self, slice: Span, max_rows: usize) -> Result<Option<Vec<Event>>, SourceError> {
        let mut events = Vec::new();
        let mut fetched = 0;
        let whole = self.slicing().whole;
        for statement in self.range(slice, &limit(max_rows))? {
            let unacked = statement.name == Query::EventsUnacked.name();
            if unacked && let Some(rows) = self.ahead(slice).await {
                fetched += rows.len();
                events.extend(rows);
                continue;
            }
            let keep = |event: &Event| !whole || home(event).is_some();
            let rows = self.collect(&statement, &keep).await?;
            fetched += rows.fetched;
            if fetched > max_rows {
                return Ok(None);
            }
            let by_ack = statement.name == Query::EventsAcked.name();
            events.extend(rows.found.into_iter().map(|event| if by_ack { unreadable(event) } else { event }));
        }
        Ok(Some(events))
    }

    /// All rows with these ids, of this flow or not, compared byte by byte.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn by_id(&self, ids: &[Id]) -> Result<Vec<Event>, SourceError> {
        let mut events = Vec::new();
        for search in look_up::searches(ids, &[&self.id], self.look_up_indexed()) {
            let statement = self.by_id_statement(search.matches)?;
            let wanted = |event: &Event| event.id.as_ref().is_some_and(|id| search.wanted.contains(id));
            events.extend(self.collect(&statement, &wanted).await?.found);
        }
        Ok(events)
    }

    /// The statements that reading a span takes, by name, with their values written in.
    #[must_use]
    pub fn statements(&self, span: Span) -> Vec<(String, String)> {
        let short = self.short.as_ref().and_then(|form| self.short_statement(form, span, Put::All).ok());
        let mut all: Vec<Statement> = short.into_iter().collect();
        all.extend(self.range(span, &shown_limit()).unwrap_or_default());
        all.extend(self.undated_statement(usize::MAX));
        all.extend(self.by_id_statement(look_up::shown(&[&self.id])));
        all.extend(self.backlog_statement().ok().flatten());
        super::shown(&all)
    }

    async fn collect(
        &self,
        statement: &Statement,
        keep: &(dyn Fn(&Event) -> bool + Sync),
    ) -> Result<super::database::Rows<Event>, SourceError> {
        let decode = |row: &dyn Fields| Ok(Some(self.event(row)?).filter(|event| keep(event)));
        self.relation.db.collect(statement, Some(&self.relation.name), &decode).await
    }

    fn range(&self, span: Span, limit: &Fragment) -> Result<Vec<Statement>, SourceError> {
        let mut statements = Vec::new();
        if self.slicing().whole {
            statements.push(self.of_flow(Query::EventsWhole, vec![("limit", limit.clone())])?);
            return Ok(statements);
        }
        if self.acked.is_some() {
            statements.push(self.acked_statement(span, limit.clone(), self.filter.clone())?);
        }
        if let Some(created) = &self.created {
            statements.push(self.unacked_statement(created, span, limit.clone())?);
        }
        Ok(statements)
    }

    fn undated_statement(&self, max_rows: usize) -> Result<Statement, SourceError> {
        if self.slicing().whole {
            return self.of_flow(Query::EventsWhole, vec![("limit", limit(usize::MAX))]);
        }
        // An index serves one side; the other is checked exactly.
        let (acked, created) = (self.acked.as_ref(), self.created.as_ref());
        let slots = vec![
            ("acked_unusable", if created.is_some() { unusable(acked) } else { unusable_by_index(acked) }),
            ("created_unusable", unusable_by_index(created)),
            ("limit", limit(max_rows)),
        ];
        self.of_flow(Query::EventsUndated, slots)
    }

    fn by_id_statement(&self, matches: Fragment) -> Result<Statement, SourceError> {
        let in_flow = Fragment::text("CASE WHEN ").and(self.filter.clone()).and_text(" THEN 1 ELSE 0 END");
        let mut slots = self.row(in_flow);
        slots.push(("matches", matches));
        self.relation.statement(Query::EventsById, &slots)
    }

    fn backlog_statement(&self) -> Result<Option<Statement>, SourceError> {
        let rules: Vec<Fragment> = self
            .states
            .iter()
            .filter(|(rule, _)| *rule == StateRule::Pending)
            .map(|(_, condition)| Fragment::condition(condition))
            .collect();
        let pending = match (self.states.is_empty(), rules.is_empty()) {
            (true, _) => self.acked.as_ref().map_or("(1 = 1)".into(), TimeColumn::not_yet),
            (false, true) => return Ok(None),
            // The rules stand there by themselves so that an index serves; the state decides.
            (false, false) => Fragment::text("(")
                .and(Fragment::join(rules, " OR "))
                .and_text(") AND ")
                .and(state(&self.states))
                .and_text(format!(" = {}", code(StateRule::Pending))),
        };
        self.of_flow(Query::EventsBacklog, vec![("pending", pending)]).map(Some)
    }

    fn of_flow(&self, query: Query, more: Vec<(&'static str, Fragment)>) -> Result<Statement, SourceError> {
        let mut slots = self.row("1".into());
        slots.push(("filter", self.filter.clone()));
        slots.extend(more);
        self.relation.statement(query, &slots)
    }

    fn row(&self, in_flow: Fragment) -> Vec<(&'static str, Fragment)> {
        let time = |column: &Option<TimeColumn>| column.as_ref().map_or("NULL".into(), TimeColumn::select);
        let (low, high) = self.expects.split_at(self.expects.len().min(BITS));
        vec![
            ("id", Fragment::text(self.id.select())),
            ("created", Fragment::text(time(&self.created))),
            ("acked", Fragment::text(time(&self.acked))),
            ("state", state(&self.states)),
            ("attempts", Fragment::text(self.attempts.as_deref().unwrap_or("NULL"))),
            ("expected_low", bits(low)),
            ("expected_high", bits(high)),
            ("in_flow", in_flow),
        ]
    }

    fn event(&self, row: &dyn Fields) -> Result<Event, String> {
        let stamp = |column: &Option<TimeColumn>, place| {
            column.as_ref().map_or(Ok(Stamp::None), |it| it.read(row.cell(place)))
        };
        let acked = stamp(&self.acked, 2)?;
        let set = |place| row.cell(place).integer().and_then(|bits| u64::try_from(bits).ok()).unwrap_or(0);
        Ok(Event {
            id: self.id.read(row.cell(0)),
            state: self.state(row.cell(3).integer(), acked),
            created: stamp(&self.created, 1)?,
            acked,
            expected_by: set(5) | set(6) << BITS,
            in_flow: row.cell(7).integer() == Some(1),
            attempts: row.cell(4).integer(),
        })
    }

    /// Without rules a row with an ack time is acked, one without is pending.
    fn state(&self, code: Option<i64>, acked: Stamp) -> State {
        match code {
            _ if self.states.is_empty() && acked == Stamp::None => State::Pending,
            _ if self.states.is_empty() => State::Acked,
            Some(3) => State::Acked,
            Some(2) => State::Pending,
            Some(1) => State::Failed,
            _ => State::Unknown,
        }
    }
}

/// The instant by which a row is found: its ack time, else its creation time.
fn home(event: &Event) -> Option<Micros> {
    event.acked.at().or(event.created.at())
}

/// A row that was found by an ack time which then cannot be read belongs to the slice where it was found and to no
/// other, whenever it was written.
fn unreadable(event: Event) -> Event {
    if event.acked == Stamp::Unusable { Event { created: Stamp::None, ..event } } else { event }
}

fn unusable(column: Option<&TimeColumn>) -> Fragment {
    column.map_or("(1 = 1)".into(), TimeColumn::unusable)
}

fn unusable_by_index(column: Option<&TimeColumn>) -> Fragment {
    column.map_or("(1 = 1)".into(), TimeColumn::unusable_by_index)
}
