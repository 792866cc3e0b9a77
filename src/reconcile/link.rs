//! What the links to a flow's sources carry, asked only where it decides how the flow is read.

use super::read::Reading;
use crate::config::Wanted;
use crate::model::Span;
use crate::plan::strategy::{self, Known, PACKED_BELOW};
use crate::source::Database;

impl Reading<'_> {
    /// Adds to what is known how many events lie in the span, and what the slowest link carries. One link after the
    /// other: they may lead through the same wire.
    pub(super) async fn measure(&self, wanted: Wanted, span: Span, known: &mut Known) {
        if !strategy::depends_on_link(wanted, known) {
            return;
        }
        known.rows = self.about(span).await;
        if !strategy::depends_on_link(wanted, known) {
            return;
        }
        for database in self.links() {
            let measured = database.bytes_per_second(PACKED_BELOW).await;
            known.bytes_per_second = [known.bytes_per_second, measured].into_iter().flatten().min();
        }
    }

    /// Events in a span, in all tables; `None` where one of them does not know.
    async fn about(&self, span: Span) -> Option<u64> {
        let mut rows = 0;
        for table in &self.producer.tables {
            rows += table.about(span).await?;
        }
        Some(rows)
    }

    fn links(&self) -> impl Iterator<Item = &Database> {
        let receipts = self.consumers.iter().flatten().flat_map(|tables| &tables.receipts);
        self.producer
            .tables
            .iter()
            .map(|table| table.database())
            .chain(receipts.map(|table| table.database()))
    }
}
