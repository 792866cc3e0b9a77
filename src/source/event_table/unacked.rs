//! Events that are not acked, and along which index they are found.

use super::{EventTable, unusable, unusable_by_index};
use crate::config::Dialect;
use crate::model::Span;
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, limit};

/// So many rows without an ack are few: to go through all of them for each slice costs less than to fetch every row of the
/// slice to see that it is acked.
const FEW: usize = 10_000;

impl EventTable {
    /// Rows written within a span that have no usable ack time.
    pub(super) fn unacked_statement(
        &self,
        created: &TimeColumn,
        span: Span,
        limit: Fragment,
    ) -> Result<Statement, SourceError> {
        let within = if self.few_unacked { created.within_without_index(span) } else { created.within(span) };
        self.unacked(within, limit)
    }

    /// Whether few rows have no usable ack time, and an index finds them. SQLite alone is asked: it takes an index on the
    /// creation time for the better one whatever the table holds, where other servers know what it holds.
    pub(super) async fn has_few_unacked(&self) -> bool {
        let both = self.relation.db.dialect() == Dialect::Sqlite && self.created.is_some();
        // Text that looks like no time stands anywhere among times.
        let ranges = self.acked_indexed() && self.acked.as_ref().is_some_and(TimeColumn::is_number);
        if !both || !ranges || self.slicing().whole {
            return false;
        }
        let Ok(statement) = self.unacked("(1 = 1)".into(), limit(FEW)) else { return false };
        // What is wrong with a row is told when it is read.
        self.collect(&statement, &|_| false).await.is_ok_and(|rows| rows.fetched <= FEW)
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
