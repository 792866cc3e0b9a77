//! A slice of events, the acked ones in the short form.

use super::{BITS, EventTable};
use crate::config::StateRule;
use crate::model::{Event, PackedEvents, ShortEvents, Span};
use crate::source::conditions::{bits, code, state};
use crate::source::relation::Relation;
use crate::source::short::{Answer, Group, Put, Shard, ShortForm, ask_together, join};
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::{ErrorKind, Slicing, SourceError};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};
use std::sync::Arc;

/// The events of a slice.
#[derive(Debug, Default)]
pub struct EventSlice {
    /// Acked ones in the short form.
    pub short: Vec<ShortEvents>,
    /// Acked ones in the packed form.
    pub packed: Vec<PackedEvents>,
    /// All others.
    pub rows: Vec<Event>,
}

impl EventSlice {
    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        let short = self.short.iter().map(|events| events.rows.len());
        let packed = self.packed.iter().map(|events| events.rows.len());
        short.chain(packed).sum::<usize>() + self.rows.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// With those of another table.
    pub fn append(&mut self, other: Self) {
        self.short.extend(other.short);
        self.packed.extend(other.packed);
        self.rows.extend(other.rows);
    }
}

/// Those of several tables.
impl FromIterator<Self> for EventSlice {
    fn from_iter<I: IntoIterator<Item = Self>>(slices: I) -> Self {
        let mut slices = slices.into_iter();
        let mut all = slices.next().unwrap_or_default();
        slices.for_each(|slice| all.append(slice));
        all
    }
}

fn short_events(groups: Vec<Group>, created_unread: bool) -> Vec<ShortEvents> {
    let mut all: Vec<ShortEvents> = Vec::new();
    for Group { bulk: rows, expected_by, .. } in groups.into_iter().filter(|group| group.fitting > 0) {
        let alike = all.iter_mut().find(|events| events.expected_by == expected_by);
        if alike.is_none_or(|events| !events.rows.append(&rows)) {
            all.push(ShortEvents { rows, expected_by, created_unread });
        }
    }
    all
}

/// How a table's acked rows come in the short form; `None` where its columns do not allow it.
pub(super) fn form(table: &EventTable) -> Option<ShortForm> {
    let acked = match table.states.first() {
        None => None,
        // The first rule that fits decides, so here it does alone.
        Some((StateRule::Acked, rule)) => Some(Fragment::condition(rule)),
        Some(_) => Some(state(&table.states).and_text(format!(" = {}", code(StateRule::Acked)))),
    };
    Some(ShortForm::new(table.id.short()?, table.acked.as_ref()?.short()?, acked))
}

impl Shard for EventTable {
    fn relation(&self) -> &Relation {
        &self.relation
    }

    fn form(&self) -> Option<&ShortForm> {
        self.short.as_ref()
    }

    fn slicing(&self) -> Slicing {
        self.slicing()
    }

    fn together(&self, form: &ShortForm, span: Span) -> Result<Statement, SourceError> {
        self.short_statement(form, span, Put::All)
    }
}

impl EventTable {
    /// The rows of [`Self::read`], the acked ones in the short form where `many` are expected and it can be done.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn read_slice(
        &self,
        slice: Span,
        max_rows: usize,
        many: bool,
    ) -> Result<Option<EventSlice>, SourceError> {
        let Some(form) = self.short.as_ref().filter(|_| many && !self.slicing().whole) else {
            return self.read_rows(slice, max_rows).await;
        };
        let answer = form.ask(&self.relation, |put| self.short_statement(form, slice, put)).await;
        match answer {
            Ok(Answer::Groups(groups)) => match self.beside(form, slice, max_rows, &groups).await? {
                Some(rows) => {
                    let short = short_events(groups, self.created.is_some());
                    Ok(Some(EventSlice { short, rows, ..EventSlice::default() }))
                }
                // A row has changed between two statements.
                None => self.read_rows(slice, max_rows).await,
            },
            Ok(Answer::Cut) if slice.micros() > crate::model::time::SECOND => Ok(None),
            Ok(Answer::Cut | Answer::Unfit) => self.read_rows(slice, max_rows).await,
            // The server may lack a function, or refuse so long a value; it may still give rows.
            Err(error) if error.kind == ErrorKind::Other => self.read_rows(slice, max_rows).await,
            Err(error) => Err(error),
        }
    }

    /// Whether [`Self::read_together`] can read this table and another.
    #[must_use]
    pub fn joins(&self, other: &Self) -> bool {
        join(self, other)
    }

    /// The rows of [`Self::read_slice`] of several tables that join each other, by one statement. `None` where each has to
    /// be read by itself.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn read_together(
        tables: &[Arc<Self>],
        slice: Span,
        max_rows: usize,
    ) -> Result<Option<EventSlice>, SourceError> {
        let Some(groups) = ask_together(tables, slice).await? else { return Ok(None) };
        let Some(first) = tables.first() else { return Ok(None) };
        // All their acked rows fit.
        let beside = tables.iter().map(async |table| match &table.short {
            Some(form) => table.beside(form, slice, max_rows, &[]).await,
            None => Ok(None),
        });
        let (beside, at_once) = (beside.collect::<Vec<_>>(), first.relation.db.tables_at_once());
        let beside: Vec<_> = stream::iter(beside).buffered(at_once).try_collect().await?;
        let beside: Option<Vec<_>> = beside.into_iter().collect();
        let Some(rows) = beside.map(|rows| rows.into_iter().flatten().collect()) else { return Ok(None) };
        let short = short_events(groups, first.created.is_some());
        Ok(Some(EventSlice { short, rows, ..EventSlice::default() }))
    }

    async fn read_rows(&self, slice: Span, max_rows: usize) -> Result<Option<EventSlice>, SourceError> {
        let rows = self.read(slice, max_rows).await?;
        Ok(rows.map(|rows| EventSlice { rows, ..EventSlice::default() }))
    }

    /// Rows of the slice that are not in the groups; `None` if they are not as many as were counted, or too many.
    async fn beside(
        &self,
        form: &ShortForm,
        slice: Span,
        max_rows: usize,
        groups: &[Group],
    ) -> Result<Option<Vec<Event>>, SourceError> {
        let left = groups.iter().map(|group| group.rows - group.fitting.min(group.rows)).sum();
        self.rows_beside(slice, max_rows, left, || form.rest()).await
    }

    pub(super) fn short_statement(
        &self,
        form: &ShortForm,
        span: Span,
        put: Put,
    ) -> Result<Statement, SourceError> {
        let acked = self.acked.as_ref();
        let (low, high) = self.expects.split_at(self.expects.len().min(BITS));
        let differ = self.expects.iter().any(Option::is_some);
        let mut slots = form.slots(put);
        slots.extend([
            ("expected_low", bits(low)),
            ("expected_high", bits(high)),
            ("by_expected", if differ { "GROUP BY 4, 5".into() } else { "".into() }),
            ("acked_within", crate::source::within(acked, span)),
            ("acked_usable", acked.map_or("(1 = 1)".into(), |acked| acked.usable_within(span))),
            ("filter", self.filter.clone()),
        ]);
        self.relation.statement(Query::EventsShort, &slots)
    }

    pub(super) fn acked_statement(
        &self,
        span: Span,
        limit: Fragment,
        filter: Fragment,
    ) -> Result<Statement, SourceError> {
        let acked = self.acked.as_ref();
        let mut slots = self.row("1".into());
        slots.extend([
            ("filter", filter),
            ("acked_within", crate::source::within(acked, span)),
            ("acked_usable", acked.map_or("(1 = 1)".into(), |acked| acked.usable_within(span))),
            ("limit", limit),
        ]);
        self.relation.statement(Query::EventsAcked, &slots)
    }
}
