//! Whether an event table would be read from end to end.

use super::EventTable;
use crate::model::{Micros, Span};
use crate::source::sql::Query;
use crate::source::{SourceError, limit, look_up, scan, shown_limit};
use std::sync::Arc;

/// So many rows without any usable time are asked for.
const UNDATED: usize = 100_000;

impl EventTable {
    /// Refuses a large table that would be read from end to end, unless that is `allowed`.
    ///
    /// # Errors
    /// If it is refused, which names the index that is missing.
    pub async fn refuse_full_scans(&self, allowed: bool, as_of: Micros) -> Result<(), SourceError> {
        scan::refuse(&self.relation, "events", allowed, || self.asked(as_of)).await
    }

    /// Whether the server says at once that none of several tables is large enough to be refused.
    pub async fn are_small(tables: &[Arc<Self>]) -> bool {
        scan::all_are_small(tables).await
    }

    /// Each kind of statement that it will be asked.
    fn asked(&self, as_of: Micros) -> Result<Vec<scan::Asked<'_>>, SourceError> {
        let (acked, created) = (scan::column(self.acked.as_ref()), scan::column(self.created.as_ref()));
        let mut all = Vec::new();
        for statement in self.range(scan::minute(as_of), &shown_limit())? {
            let by_ack = statement.name == Query::EventsAcked.name();
            all.push((statement, if by_ack { acked.clone() } else { created.clone() }));
        }
        all.push((self.undated_statement(UNDATED)?, [created, acked].concat()));
        all.extend(self.backlog_statement()?.map(|statement| (statement, Vec::new())));
        for search in look_up::searches(&scan::ids(), &[&self.id], true) {
            all.push((self.by_id_statement(search.matches)?, self.id.column().into_iter().collect()));
        }
        Ok(all)
    }

    /// About how many acked events lie in a span, as the server's planner believes; `None` where nobody knows.
    pub async fn about(&self, span: Span) -> Option<u64> {
        let acked = self.acked_statement(span, limit(usize::MAX), self.filter.clone()).ok()?;
        scan::about(&self.relation, &acked).await
    }
}
