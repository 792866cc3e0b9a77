//! Confirmed events that the server adds up by their ids, and the rows that it cannot add up or that differ.

use super::{EventTable, bits, code};
use crate::config::StateRule;
use crate::model::event::Stamp;
use crate::model::{Event, Micros, Span, Window};
use crate::sketch::Sketch;
use crate::source::cell::Fields;
use crate::source::conditions::state;
use crate::source::id_column::Canonical;
use crate::source::sketching;
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, condition, limit};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

/// Events of one window that can be added up, all expected by the same consumers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Counted {
    /// The window's place among those that were asked for.
    pub window: usize,
    /// As in [`Event::expected_by`].
    pub expected_by: u64,
    /// How many rows.
    pub rows: u64,
}

/// So many windows are counted at a time: each by a statement of its own, which is less work than finding the window of
/// each row.
const COUNTS: usize = 4;

impl EventTable {
    /// Why this table cannot be added up, if it cannot.
    #[must_use]
    pub fn sketch_obstacle(&self) -> Option<String> {
        let whole = self.slicing().whole;
        sketching::inexact(self.acked.as_ref(), "events.acked_at")
            .or_else(|| whole.then(|| "`events.created_at` can only be read whole".to_owned()))
            .or_else(|| self.id.canonical().err())
    }

    /// Whether the server makes digests as they are made here: what differs, if anything does.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub async fn sketch_check(&self) -> Result<Option<String>, SourceError> {
        sketching::check(&self.relation, &self.id).await
    }

    /// Adds up the ids of the events acked in a span that the consumer at this place must see (`None`: of all).
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub async fn sketch(
        &self,
        span: Span,
        owed_to: Option<usize>,
        buckets: u32,
    ) -> Result<Sketch, SourceError> {
        let statement = self.sketch_statement(span, owed_to, buckets)?;
        sketching::added(&self.relation, &statement, buckets).await
    }

    /// How many events can be added up in each of these windows.
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub async fn counts(&self, windows: &[Window]) -> Result<Vec<Counted>, SourceError> {
        let of = async |(place, window): (usize, &Window)| {
            let Some(statement) = self.counts_statement(*window)? else { return Ok(Vec::new()) };
            let decode = |row: &dyn Fields| {
                counted(row, place).map(Some).ok_or_else(|| "a count could not be read".to_owned())
            };
            let rows = self.relation.db.collect(&statement, Some(&self.relation.name), &decode).await?;
            Ok::<_, SourceError>(rows.found)
        };
        let counts: Vec<_> =
            stream::iter(windows.iter().enumerate()).map(of).buffered(COUNTS).try_collect().await?;
        Ok(counts.into_iter().flatten().collect())
    }

    /// The rows of a span that the server does not add up: not acked, or with an id that is read here alone. `None` if
    /// there are more than `max_rows`. Rows without a usable ack time are found by their creation, as by
    /// [`EventTable::read`].
    ///
    /// # Errors
    /// As for [`EventTable::read`].
    pub async fn beside_sketch(
        &self,
        span: Span,
        max_rows: usize,
    ) -> Result<Option<Vec<Event>>, SourceError> {
        let margin = self.slicing().margin;
        let wide = span.widened(margin, margin);
        let mut statements = self.range(wide, &limit(max_rows))?;
        statements.retain(|statement| statement.name != Query::EventsAcked.name());
        let others = Fragment::text("NOT ").and(self.counted(&self.canonical()?));
        statements.extend(self.picked_statement(span, others, limit(max_rows))?);
        let mut events = Vec::new();
        for statement in statements {
            let rows = self.collect(&statement, &|_| true).await?;
            if rows.fetched > max_rows {
                return Ok(None);
            }
            events.extend(rows.found.into_iter().filter(|event| placed(event, span)));
        }
        Ok(Some(events))
    }

    /// The events of a span that the server adds up, of some buckets. `None` if there are more than `max_rows`.
    ///
    /// # Errors
    /// As for [`EventTable::read`].
    pub async fn in_buckets(
        &self,
        span: Span,
        buckets: u32,
        wanted: &[u32],
        max_rows: usize,
    ) -> Result<Option<Vec<Event>>, SourceError> {
        let Some(statement) = self.buckets_statement(span, buckets, wanted, limit(max_rows))? else {
            return Ok(Some(Vec::new()));
        };
        let rows = self.collect(&statement, &|_| true).await?;
        Ok((rows.fetched <= max_rows).then_some(rows.found))
    }

    /// The statements that adding up a span takes, by name, with their values written in.
    #[must_use]
    pub fn sketch_statements(&self, windows: &[Window], span: Span, buckets: u32) -> Vec<(String, String)> {
        let counts = windows.first().and_then(|first| self.counts_statement(*first).ok().flatten());
        let mut all: Vec<Statement> = counts.into_iter().collect();
        all.extend(self.sketch_statement(span, None, buckets));
        all.extend(self.buckets_statement(span, buckets, &[0], crate::source::shown_limit()).ok().flatten());
        crate::source::shown(&all)
    }

    fn canonical(&self) -> Result<Canonical, SourceError> {
        let wrong = |why| self.relation.error(crate::source::error::Failure::other(why));
        self.id.canonical().map_err(wrong)
    }

    /// True for rows that the server adds up.
    fn counted(&self, id: &Canonical) -> Fragment {
        let acked = if self.states.is_empty() {
            Fragment::text("1 = 1")
        } else {
            state(&self.states).and_text(format!(" = {}", code(StateRule::Acked)))
        };
        Fragment::text("(").and(acked).and_text(format!(" AND {})", id.present()))
    }

    fn sketch_statement(
        &self,
        span: Span,
        owed_to: Option<usize>,
        buckets: u32,
    ) -> Result<Statement, SourceError> {
        let id = self.canonical()?;
        let owed = owed_to.and_then(|place| self.expects.get(place)?.as_deref());
        let picked = self.counted(&id).and_text(" AND ").and(condition(owed));
        let mut slots = sketching::slots(self.relation.db.dialect(), &id, buckets);
        slots.extend(self.acked_in(span, picked));
        self.relation.statement(Query::EventsSketch, &slots)
    }

    fn counts_statement(&self, window: Window) -> Result<Option<Statement>, SourceError> {
        if self.acked.is_none() {
            return Ok(None);
        }
        let (low, high) = self.expects.split_at(self.expects.len().min(super::BITS));
        let mut slots = self.acked_in(window.0, self.counted(&self.canonical()?));
        slots.extend([("expected_low", bits(low)), ("expected_high", bits(high))]);
        self.relation.statement(Query::EventsCounts, &slots).map(Some)
    }

    fn buckets_statement(
        &self,
        span: Span,
        buckets: u32,
        wanted: &[u32],
        limit: Fragment,
    ) -> Result<Option<Statement>, SourceError> {
        let id = self.canonical()?;
        let inside = sketching::in_buckets(&id, self.relation.db.dialect(), buckets, wanted);
        self.picked_statement(span, self.counted(&id).and_text(" AND ").and(inside), limit)
    }

    fn picked_statement(
        &self,
        span: Span,
        picked: Fragment,
        limit: Fragment,
    ) -> Result<Option<Statement>, SourceError> {
        let Some(acked) = &self.acked else { return Ok(None) };
        let more = vec![
            ("acked_within", acked.within(span)),
            ("acked_usable", acked.usable()),
            ("picked", picked),
            ("limit", limit),
        ];
        self.of_flow(Query::EventsPicked, more).map(Some)
    }

    fn acked_in(&self, span: Span, picked: Fragment) -> Vec<(&'static str, Fragment)> {
        let none = || Fragment::text("(1 = 0)");
        vec![
            ("acked_within", self.acked.as_ref().map_or_else(none, |acked| acked.within(span))),
            ("acked_usable", self.acked.as_ref().map_or_else(none, TimeColumn::usable)),
            ("filter", self.filter.clone()),
            ("picked", picked),
        ]
    }
}

/// Whether a row has its place in the span; one whose times are no times has none and is told of by its creation.
fn placed(event: &Event, span: Span) -> bool {
    let at: Option<Micros> = event.acked.at().or(event.created.at());
    event.acked == Stamp::Unusable || at.is_some_and(|at| span.contains(at))
}

fn counted(row: &dyn Fields, window: usize) -> Option<Counted> {
    let number = |place| u64::try_from(row.cell(place).integer()?).ok();
    Some(Counted { window, expected_by: number(0)? | number(1)? << super::BITS, rows: number(2)? })
}
