//! Whether an event table would be read from end to end.

use super::EventTable;
use crate::model::{Micros, Span};
use crate::source::sql::Query;
use crate::source::{SourceError, limit, look_up, scan, shown_limit};

/// So many rows without any usable time are asked for.
const UNDATED: usize = 100_000;

impl EventTable {
    /// Refuses a large table that would be read from end to end, unless that is `allowed`.
    ///
    /// # Errors
    /// If it is refused, which names the index that is missing.
    pub async fn refuse_full_scans(&self, allowed: bool, as_of: Micros) -> Result<(), SourceError> {
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
        scan::refuse(&self.relation, "events", allowed, &all).await
    }

    /// About how many acked events lie in a span, as the server's planner believes; `None` where nobody knows.
    pub async fn about(&self, span: Span) -> Option<u64> {
        let acked = self.acked_statement(span, limit(usize::MAX), self.filter.clone()).ok()?;
        scan::about(&self.relation, &acked).await
    }
}
