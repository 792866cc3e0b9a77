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
    /// records in the slice; a row without a name counts as `NULL`. Unless `thorough`, only where an index tells that
    /// there are any: reading the rows for it costs as much as reading the receipts did.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn other_consumers(
        &self,
        slice: Span,
        known: &[String],
        thorough: bool,
    ) -> Result<Vec<(String, u64)>, SourceError> {
        if !thorough && self.has_strangers(known).await? != Some(true) {
            return Ok(Vec::new());
        }
        let Some(statement) = self.others(slice, known)? else { return Ok(Vec::new()) };
        let rows = self.relation.db.collect(&statement, Some(&self.relation.name), &|row| {
            let count = row.cell(1).integer().and_then(|count| u64::try_from(count).ok()).unwrap_or(0);
            Ok(Some((row.cell(0).text().unwrap_or_else(|| "NULL".to_owned()), count)))
        });
        Ok(rows.await?.found)
    }

    /// Whether the consumer column holds another name, of whatever time; `None` where only reading the rows tells. In a
    /// column that ignores case, names that differ in nothing else go for the same.
    async fn has_strangers(&self, known: &[String]) -> Result<Option<bool>, SourceError> {
        let indexed = |column: &&ConsumerColumn| column.is_text() && self.relation.leads(column.name());
        let Some(column) = self.consumer.as_ref().filter(indexed) else { return Ok(None) };
        let ignores_case = self.relation.ignores_case(column.name());
        let same = |one: &String, other: &String| {
            one == other || ignores_case && one.to_lowercase() == other.to_lowercase()
        };
        let mut last: Option<String> = None;
        for _ in 0..STEPS_MAX {
            let Some(name) = self.next_name(column, column.after(last.as_deref())).await? else {
                let unnamed = self.next_name(column, column.is_unnamed()).await?;
                return Ok(Some(unnamed.is_some()));
            };
            let is_known = |name: &String| self.names.iter().chain(known).any(|one| same(one, name));
            let Some(name) = name.filter(is_known) else { return Ok(Some(true)) };
            last = Some(name);
        }
        Ok(None)
    }

    /// `None`: there is no such row; `Some(None)`: it has no name.
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
