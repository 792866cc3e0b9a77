//! Receipts that lie in no slice, and what is asked of several tables at once.

use super::ReceiptTable;
use crate::model::Receipt;
use crate::source::cell::Fields;
use crate::source::relation::Relation;
use crate::source::{SourceError, alike, limit, scan};
use std::sync::Arc;

impl alike::Table for ReceiptTable {
    fn relation(&self) -> &Relation {
        &self.relation
    }
}

impl ReceiptTable {
    /// The receipts without a usable time, whichever message they are of; `None` if there are more than `max_rows`.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn undated(&self, max_rows: usize) -> Result<Option<Vec<Receipt>>, SourceError> {
        let Some(statement) = self.undated_statement(limit(max_rows))? else { return Ok(Some(Vec::new())) };
        let rows = self.collect(&statement, &|receipt| receipt.consumed.at().is_none()).await?;
        Ok((rows.fetched <= max_rows).then_some(rows.found))
    }

    /// The same of several tables; `None` if one of them has more than `max_rows`.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn undated_all(
        tables: &[Arc<Self>],
        max_rows: usize,
    ) -> Result<Option<Vec<Receipt>>, SourceError> {
        let mut all = Vec::new();
        for group in alike::groups(tables) {
            let decode = |row: &dyn Fields| {
                let receipt = group[0].receipt(row)?;
                Ok(Some(receipt).filter(|receipt| receipt.consumed.at().is_none()))
            };
            let rows = alike::rows(group, |table| table.undated_statement(limit(max_rows)), &decode).await?;
            if let Some(rows) = rows.filter(|rows| rows.fetched <= max_rows) {
                all.extend(rows.found);
                continue;
            }
            for table in group {
                let Some(rows) = table.undated(max_rows).await? else { return Ok(None) };
                all.extend(rows);
            }
        }
        Ok(Some(all))
    }

    /// Whether the server says at once that none of several tables is large enough to be refused.
    pub async fn are_small(tables: &[Arc<Self>]) -> bool {
        scan::all_are_small(tables).await
    }
}
