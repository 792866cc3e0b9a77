//! Events that are not acked: read once where they are few, else slice by slice.

use super::{EventTable, unusable, unusable_by_index};
use crate::model::{Event, Span};
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, limit, scan};
use tokio::sync::OnceCell;

/// So many rows without an ack are few. To look for them once costs less than to look in each slice, where a server may
/// fetch every row to see that it is acked, and more than half of the statements on a table of few rows are saved.
const FEW: usize = 10_000;

/// Those of all times, once they were looked for; `None` where they are many, or no index finds them.
pub(super) type Ahead = OnceCell<Option<Vec<Event>>>;

impl EventTable {
    /// Rows written within a span that have no usable ack time.
    pub(super) fn unacked_statement(
        &self,
        created: &TimeColumn,
        span: Span,
        limit: Fragment,
    ) -> Result<Statement, SourceError> {
        self.unacked(created.within(span), limit)
    }

    /// What a statement would give of a slice, if it is the one above and the rows were read ahead. As of when the first
    /// slice was read, the one that asks or an earlier one.
    pub(super) async fn ahead(&self, statement: &Statement, slice: Span) -> Option<Vec<Event>> {
        if statement.name != Query::EventsUnacked.name() {
            return None;
        }
        let rows = self.ahead.get_or_init(|| self.read_ahead()).await.as_ref()?;
        let inside = |event: &&Event| event.created.at().is_some_and(|at| slice.contains(at));
        Some(rows.iter().filter(inside).cloned().collect())
    }

    /// Every row without a usable ack time that has a time of creation.
    async fn read_ahead(&self) -> Option<Vec<Event>> {
        // Text that looks like no time stands anywhere among times.
        let ordered = |column: &Option<TimeColumn>| column.as_ref().is_some_and(|column| !column.is_text());
        if !ordered(&self.created) || !ordered(&self.acked) || !self.acked_indexed() || self.slicing().whole {
            return None;
        }
        let statement = self.unacked("(1 = 1)".into(), limit(FEW)).ok()?;
        if scan::scans(&self.relation, &statement).await {
            return None;
        }
        // What is wrong with a row is told when the slices are read.
        let rows = self.collect(&statement, &|event| event.created.at().is_some()).await.ok()?;
        (rows.fetched <= FEW).then_some(rows.found)
    }

    fn unacked(&self, created_within: Fragment, limit: Fragment) -> Result<Statement, SourceError> {
        // As ranges where an index serves them.
        let acked = self.acked.as_ref();
        let unusable = if self.acked_indexed() { unusable_by_index(acked) } else { unusable(acked) };
        let slots = vec![("created_within", created_within), ("acked_unusable", unusable), ("limit", limit)];
        self.of_flow(Query::EventsUnacked, slots)
    }

    fn acked_indexed(&self) -> bool {
        let column = self.acked.as_ref().and_then(TimeColumn::column);
        column.is_some_and(|column| self.relation.leads(column))
    }
}
