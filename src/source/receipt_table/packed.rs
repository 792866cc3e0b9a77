//! A slice of receipts in the packed form, and the rows behind digests.

use super::{CONSUMED, ReceiptSlice, ReceiptTable};
use crate::model::{Micros, PackedRow, Receipt, Span};
use crate::sketch::Digest;
use crate::source::packing::{self, Group, Packing, padded};
use crate::source::sql::{Query, Statement};
use crate::source::time_column::TimeColumn;
use crate::source::{SourceError, limit, sketching};

impl ReceiptTable {
    /// Why this table's rows cannot be packed, if they cannot.
    #[must_use]
    pub fn packed_obstacle(&self) -> Option<String> {
        let two = self.original_id.is_some();
        sketching::inexact(self.consumed.as_ref(), CONSUMED)
            .or_else(|| two.then(|| "`original_id` gives a receipt one of two ids".to_owned()))
            .or_else(|| self.packing().err())
    }

    fn packing(&self) -> Result<Packing, String> {
        let time = self.consumed.as_ref().ok_or("`consumed_at` is not configured")?.packed()?;
        Ok(Packing::new(self.id.canonical()?, time, None))
    }

    fn packing_or_error(&self) -> Result<Packing, SourceError> {
        let wrong = |why| self.relation.error(crate::source::error::Failure::other(why));
        self.packing().map_err(wrong)
    }

    /// The rows of [`ReceiptTable::read`], packed. `None` if a shorter slice may do.
    ///
    /// # Errors
    /// As for [`ReceiptTable::read`], or if the rows cannot be packed.
    pub async fn read_packed(
        &self,
        slice: Span,
        max_rows: usize,
    ) -> Result<Option<ReceiptSlice>, SourceError> {
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
            return Ok(rows.map(|rows| ReceiptSlice { rows, ..ReceiptSlice::default() }));
        };
        let packed = groups.into_iter().flat_map(|group| group.packed).collect();
        Ok(Some(ReceiptSlice { packed, rows, ..ReceiptSlice::default() }))
    }

    /// Rows of the slice that do not fit; `None` if they are not as many as were counted, or too many.
    async fn beside_packed(
        &self,
        packing: &Packing,
        slice: Span,
        max_rows: usize,
        groups: &[Group],
    ) -> Result<Option<Vec<Receipt>>, SourceError> {
        let left: usize = groups.iter().map(|group| group.rows - group.packed.len()).sum();
        if left == 0 {
            return Ok(Some(Vec::new()));
        }
        let filter = self.filter.clone().and_text(" AND ").and(packing.rest(slice));
        let rows = self.collect(&self.range_of(slice, limit(max_rows), filter)?, &|_| true).await?;
        Ok((rows.fetched == left && left <= max_rows).then_some(rows.found))
    }

    fn packed_statement(&self, packing: &Packing, slice: Span) -> Result<Statement, SourceError> {
        let mut slots = packing.slots(slice);
        slots.extend([
            ("consumed_within", crate::source::within(self.consumed.as_ref(), slice)),
            ("consumer", self.own_in_span()),
            ("filter", self.filter.clone()),
        ]);
        self.relation.statement_along(self.along(), Query::ReceiptsPacked, &slots)
    }

    /// The receipts behind digests, at exactly the instants that came with them: one for each row, in its order; `None`
    /// where there is none any more, or more than one. At most [`PACKED_AT_MAX`](crate::source::PACKED_AT_MAX) at a time.
    ///
    /// # Errors
    /// As for [`ReceiptTable::read`].
    pub async fn unpacked(&self, rows: &[PackedRow]) -> Result<Vec<Option<Receipt>>, SourceError> {
        let (packing, Some(consumed)) = (self.packing_or_error()?, &self.consumed) else {
            return Ok(vec![None; rows.len()]);
        };
        if rows.is_empty() {
            return Ok(Vec::new());
        }
        let statement = self.at_statement(&packing, consumed, rows)?;
        let found = self.collect(&statement, &|_| true).await?.found;
        let key = |receipt: &Receipt| Some((Digest::of(receipt.id.as_ref()?).word, receipt.consumed.at()?));
        Ok(packing::picked(rows, found, key))
    }

    fn at_statement(
        &self,
        packing: &Packing,
        consumed: &TimeColumn,
        rows: &[PackedRow],
    ) -> Result<Statement, SourceError> {
        let (digests, instants): (Vec<u64>, Vec<Micros>) =
            rows.iter().map(|row| (row.digest, row.at)).unzip();
        let mut slots = self.row();
        slots.extend([
            ("consumed_at", packing::at(consumed, &padded(instants))),
            ("digests", packing.digests(&padded(digests))),
        ]);
        self.relation.statement_along(self.along(), Query::ReceiptsAt, &slots)
    }

    /// The statements that reading a span packed takes, by name, with their values written in.
    #[must_use]
    pub fn packed_statements(&self, span: Span) -> Vec<(String, String)> {
        let Ok(packing) = self.packing() else { return Vec::new() };
        let mut all: Vec<Statement> = self.packed_statement(&packing, span).into_iter().collect();
        let row = [PackedRow { digest: 0, at: span.from }];
        let at = self.consumed.as_ref().and_then(|at| self.at_statement(&packing, at, &row).ok());
        all.extend(at);
        crate::source::shown(&all)
    }
}
