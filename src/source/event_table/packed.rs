//! A slice of events in the packed form, and the rows behind digests.

use super::{EventSlice, EventTable, bits, code};
use crate::config::StateRule;
use crate::model::{Event, Micros, PackedEvents, PackedRow, Span, State};
use crate::sketch::Digest;
use crate::source::conditions::state;
use crate::source::packing::{self, Group, Packing, padded};
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, sketching};

impl EventTable {
    /// Why this table's rows cannot be packed, if they cannot.
    #[must_use]
    pub fn packed_obstacle(&self) -> Option<String> {
        let whole = self.slicing().whole;
        sketching::inexact(self.acked.as_ref(), "events.acked_at")
            .or_else(|| whole.then(|| "`events.created_at` can only be read whole".to_owned()))
            .or_else(|| self.packing().err())
    }

    fn packing(&self) -> Result<Packing, String> {
        let acked = match self.states.first() {
            None => None,
            // The first rule that fits decides, so here it does alone.
            Some((StateRule::Acked, rule)) => Some(Fragment::condition(rule)),
            Some(_) => Some(state(&self.states).and_text(format!(" = {}", code(StateRule::Acked)))),
        };
        let time = self.acked.as_ref().ok_or("`events.acked_at` is not configured")?.packed()?;
        Ok(Packing::new(self.id.canonical()?, time, acked))
    }

    fn packing_or_error(&self) -> Result<Packing, SourceError> {
        let wrong = |why| self.relation.error(crate::source::error::Failure::other(why));
        self.packing().map_err(wrong)
    }

    /// The rows of [`EventTable::read`], the acked ones packed. `None` if a shorter slice may do.
    ///
    /// # Errors
    /// As for [`EventTable::read`], or if the rows cannot be packed.
    pub async fn read_packed(&self, slice: Span, max_rows: usize) -> Result<Option<EventSlice>, SourceError> {
        if !Packing::can_hold(slice) {
            return Ok(None);
        }
        let packing = self.packing_or_error()?;
        let statement = self.packed_statement(&packing, slice)?;
        let Some(groups) = packing.ask(&self.relation, &statement, slice).await? else { return Ok(None) };
        if groups.iter().map(|group| group.rows).sum::<usize>() > max_rows {
            return Ok(None);
        }
        let Some(rows) = self.beside_packed(&packing, slice, max_rows, &groups).await? else {
            // A row has changed between two statements, or there are too many.
            let rows = self.read(slice, max_rows).await?;
            return Ok(rows.map(|rows| EventSlice { rows, ..EventSlice::default() }));
        };
        let packed =
            groups.into_iter().map(|it| PackedEvents { rows: it.packed, expected_by: it.expected_by });
        Ok(Some(EventSlice { packed: packed.collect(), rows, short: Vec::new() }))
    }

    /// Rows of the slice that are not packed; `None` if they are not as many as were counted, or too many.
    async fn beside_packed(
        &self,
        packing: &Packing,
        slice: Span,
        max_rows: usize,
        groups: &[Group],
    ) -> Result<Option<Vec<Event>>, SourceError> {
        let left = groups.iter().map(|group| group.rows - group.packed.len()).sum();
        self.rows_beside(slice, max_rows, left, || packing.rest(slice)).await
    }

    fn packed_statement(&self, packing: &Packing, slice: Span) -> Result<Statement, SourceError> {
        let acked = self.acked.as_ref();
        let (low, high) = self.expects.split_at(self.expects.len().min(super::BITS));
        let differ = self.expects.iter().any(Option::is_some);
        let mut slots = packing.slots(slice);
        slots.extend([
            ("expected_low", bits(low)),
            ("expected_high", bits(high)),
            ("by_expected", if differ { "GROUP BY 4, 5".into() } else { "".into() }),
            ("acked_within", crate::source::within(acked, slice)),
            ("acked_usable", acked.map_or("(1 = 1)".into(), |acked| acked.usable_within(slice))),
            ("filter", self.filter.clone()),
        ]);
        self.relation.statement(Query::EventsPacked, &slots)
    }

    /// The acked events behind digests, at exactly the instants that came with them: one for each row, in its order;
    /// `None` where there is none any more, or more than one. At most [`PACKED_AT_MAX`](crate::source::PACKED_AT_MAX) at a time.
    ///
    /// # Errors
    /// As for [`EventTable::read`].
    pub async fn unpacked(&self, rows: &[PackedRow]) -> Result<Vec<Option<Event>>, SourceError> {
        let (packing, Some(acked)) = (self.packing_or_error()?, &self.acked) else {
            return Ok(vec![None; rows.len()]);
        };
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let statement = self.at_statement(&packing, acked, rows)?;
        let found = self.collect(&statement, &|event| event.state == State::Acked).await?.found;
        let key = |event: &Event| Some((Digest::of(event.id.as_ref()?).word, event.acked.at()?));
        Ok(packing::picked(rows, found, key))
    }

    fn at_statement(
        &self,
        packing: &Packing,
        acked: &TimeColumn,
        rows: &[PackedRow],
    ) -> Result<Statement, SourceError> {
        let (digests, instants): (Vec<u64>, Vec<Micros>) =
            rows.iter().map(|row| (row.digest, row.at)).unzip();
        let more = vec![
            ("acked_at", packing::at(acked, &padded(instants))),
            ("digests", packing.digests(&padded(digests))),
        ];
        self.of_flow(Query::EventsAt, more)
    }

    /// The statements that reading a span packed takes, by name, with their values written in.
    #[must_use]
    pub fn packed_statements(&self, span: Span) -> Vec<(String, String)> {
        let Ok(packing) = self.packing() else { return Vec::new() };
        let mut all: Vec<Statement> = self.packed_statement(&packing, span).into_iter().collect();
        let row = [PackedRow { digest: 0, at: span.from }];
        all.extend(self.acked.as_ref().and_then(|acked| self.at_statement(&packing, acked, &row).ok()));
        crate::source::shown(&all)
    }
}
