//! Names in the consumer column that nobody configured.

use super::ReceiptTable;
use crate::model::Span;
use crate::source::consumer_column::ConsumerColumn;
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::{SourceError, limit};

/// So many unknown names are told apart.
const OTHER_CONSUMERS: usize = 100;
/// So many names are looked at one after the other.
const STEPS_MAX: usize = 1_000;

impl ReceiptTable {
    /// The names in the consumer column that are neither this consumer's nor among `known`, with their number of
    /// records in the slice; a row without a name counts as `NULL`.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn other_consumers(
        &self,
        slice: Span,
        known: &[String],
    ) -> Result<Vec<(String, u64)>, SourceError> {
        if self.has_strangers(known).await? == Some(false) {
            return Ok(Vec::new());
        }
        let Some(statement) = self.others(slice, known)? else { return Ok(Vec::new()) };
        let rows = self.relation.db.collect(&statement, Some(&self.relation.name), &|row| {
            let count = row.cell(1).integer().and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
            Ok(Some((row.cell(0).text().unwrap_or_else(|| "NULL".to_owned()), count)))
        });
        Ok(rows.await?.found)
    }

    /// Whether an index tells at once if there are other names, whatever their receipts' time.
    #[must_use]
    pub fn names_indexed(&self) -> bool {
        self.consumer.as_ref().is_some_and(|column| {
            column.is_text()
                && self.relation.leads(column.name())
                && !self.relation.ignores_case(column.name())
        })
    }

    /// Whether the consumer column holds another name; `None` where only reading the rows tells.
    async fn has_strangers(&self, known: &[String]) -> Result<Option<bool>, SourceError> {
        let Some(column) = self.consumer.as_ref().filter(|_| self.names_indexed()) else { return Ok(None) };
        let mut last: Option<String> = None;
        for _ in 0..STEPS_MAX {
            let Some(name) = self.next_name(column, column.after(last.as_deref())).await? else {
                let unnamed = self.next_name(column, column.is_unnamed()).await?;
                return Ok(Some(unnamed.is_some()));
            };
            let Some(name) = name.filter(|name| self.names.contains(name) || known.contains(name)) else {
                return Ok(Some(true));
            };
            last = Some(name);
        }
        Ok(None)
    }

    /// `None`: there is no such row; `Some(None)`: it has no name.
    #[expect(clippy::option_option, reason = "no row and no name are two things")]
    async fn next_name(
        &self,
        column: &ConsumerColumn,
        after: Fragment,
    ) -> Result<Option<Option<String>>, SourceError> {
        let slots = [
            ("name", Fragment::text(column.select())),
            ("after", after),
            ("raw", Fragment::text(column.raw())),
        ];
        let statement = self.relation.statement(Query::ReceiptsNextConsumer, &slots)?;
        let rows = self
            .relation
            .db
            .collect(&statement, Some(&self.relation.name), &|row| Ok(Some(row.cell(0).text())));
        Ok(rows.await?.found.into_iter().next())
    }

    pub(super) fn others(&self, span: Span, known: &[String]) -> Result<Option<Statement>, SourceError> {
        let Some(consumer) = &self.consumer else { return Ok(None) };
        let known = [&self.names, known].concat();
        let slots = [
            ("name", Fragment::text(consumer.select())),
            ("consumed_within", crate::source::within(self.consumed.as_ref(), span)),
            ("unknown", consumer.is_none_of(&known)),
            ("filter", self.filter.clone()),
            ("limit", limit(OTHER_CONSUMERS - 1)),
        ];
        self.relation.statement(Query::ReceiptsByConsumer, &slots).map(Some)
    }
}
