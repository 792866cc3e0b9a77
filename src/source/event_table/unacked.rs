//! Events that are not acked: read once where they are few, else slice by slice.

use super::{EventTable, unreadable, unusable, unusable_by_index};
use crate::model::{Event, Span};
use crate::source::cell::Fields;
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, limit, scan};
use tokio::sync::OnceCell;

/// So many rows without an ack are few. To look for them once costs less than to look in each slice, where a server may
/// fetch every row to see that it is acked, and more than half of the statements on a table of few rows are saved.
const FEW: usize = 10_000;
/// So many times as many may lie where an index finds them: those of other flows are gone through too.
const OTHERS: usize = 10;

/// Those of all times, in the order of their creation, once they were looked for; `None` where they are many, or no index
/// finds them.
pub(super) type Ahead = OnceCell<Option<Vec<Event>>>;

impl EventTable {
    /// Rows written within a span that have no usable ack time.
    pub(super) fn unacked_statement(
        &self,
        created: &TimeColumn,
        span: Span,
        limit: Fragment,
    ) -> Result<Statement, SourceError> {
        // Half dates are left to those without any time.
        let within = created.within(span).and_text(" AND ").and(created.usable_within(span));
        self.unacked(within, self.filter.clone(), limit)
    }

    /// Rows of the slice beside the acked ones that were read in another form: `left` acked ones that meet the condition
    /// `rest`, and those without an ack. `None` if the acked ones are not as many, or if there are too many.
    pub(super) async fn rows_beside(
        &self,
        slice: Span,
        max_rows: usize,
        left: usize,
        rest: impl FnOnce() -> Fragment,
    ) -> Result<Option<Vec<Event>>, SourceError> {
        let mut events = Vec::new();
        if left > 0 {
            let filter = self.filter.clone().and_text(" AND ").and(rest());
            let statement = self.acked_statement(slice, limit(max_rows), filter)?;
            let rows = self.collect(&statement, &|_| true).await?;
            if rows.fetched > max_rows || rows.fetched != left {
                return Ok(None);
            }
            events.extend(rows.found.into_iter().map(unreadable));
        }
        let Some(created) = &self.created else { return Ok(Some(events)) };
        if let Some(rows) = self.ahead(slice).await {
            events.extend(rows);
            return Ok(Some(events));
        }
        let statement = self.unacked_statement(created, slice, limit(max_rows))?;
        let rows = self.collect(&statement, &|_| true).await?;
        events.extend(rows.found);
        Ok((rows.fetched <= max_rows).then_some(events))
    }

    /// What [`Self::unacked_statement`] would give of a slice, if the rows were read ahead. As of when the first slice was read, the
    /// one that asks or an earlier one.
    pub(super) async fn ahead(&self, slice: Span) -> Option<Vec<Event>> {
        let rows = self.ahead.get_or_init(|| self.read_ahead()).await.as_ref()?;
        let before = |at| rows.partition_point(|event| event.created.at() < Some(at));
        Some(rows[before(slice.from)..before(slice.until)].to_vec())
    }

    /// Every row without a usable ack time that has a time of creation.
    async fn read_ahead(&self) -> Option<Vec<Event>> {
        // Text that looks like no time stands anywhere among times.
        let ordered = |column: &Option<TimeColumn>| column.as_ref().is_some_and(|column| !column.is_text());
        if !ordered(&self.created) || !ordered(&self.acked) || !self.acked_indexed() || self.slicing().whole {
            return None;
        }
        let all = |filter, limit| self.unacked("(1 = 1)".into(), filter, limit).ok();
        let found = all("(1 = 1)".into(), limit(usize::MAX))?;
        if !scan::is_short(&self.relation, &found, FEW * OTHERS).await {
            return None;
        }
        let few = FEW / self.tables;
        let mut rows = Vec::new();
        let mut keep = |row: &dyn Fields| {
            rows.push(self.event(row)?);
            Ok(())
        };
        // Once: what is wrong with it or with a row is told when the slices are read.
        let statement = all(self.filter.clone(), limit(few))?;
        self.relation.db.each(&statement, Some(&self.relation.name), &mut keep).await.ok()?;
        if rows.len() > few {
            return None;
        }
        rows.retain(|event| event.created.at().is_some());
        rows.sort_by_key(|event| event.created.at());
        Some(rows)
    }

    fn unacked(
        &self,
        created_within: Fragment,
        filter: Fragment,
        limit: Fragment,
    ) -> Result<Statement, SourceError> {
        // As ranges where an index serves them.
        let acked = self.acked.as_ref();
        let unusable = if self.acked_indexed() { unusable_by_index(acked) } else { unusable(acked) };
        let mut slots = self.row("1".into());
        slots.extend([
            ("filter", filter),
            ("created_within", created_within),
            ("acked_unusable", unusable),
            ("limit", limit),
        ]);
        self.relation.statement(Query::EventsUnacked, &slots)
    }

    fn acked_indexed(&self) -> bool {
        let column = self.acked.as_ref().and_then(TimeColumn::column);
        column.is_some_and(|column| self.relation.leads(column))
    }
}
