//! A slice of receipts in the short form.

use super::ReceiptTable;
use crate::model::{Bulk, PackedRow, Receipt, Span};
use crate::source::relation::Relation;
use crate::source::short::{Answer, Group, Put, Shard, ShortForm, ask_together, join};
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::{ErrorKind, Slicing, SourceError, limit};
use std::sync::Arc;

/// The receipts of a slice.
#[derive(Debug, Default)]
pub struct ReceiptSlice {
    /// In the short form.
    pub short: Bulk,
    /// In the packed form.
    pub packed: Vec<PackedRow>,
    /// All others.
    pub rows: Vec<Receipt>,
}

impl ReceiptSlice {
    /// How many rows it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.short.len() + self.packed.len() + self.rows.len()
    }

    /// Whether it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// With those of another table.
    pub fn append(&mut self, other: Self) {
        if self.short.is_empty() {
            self.short = other.short;
        } else if !self.short.append(&other.short) {
            // More text than one buffer holds.
            self.rows.extend(other.short.receipts());
        }
        self.packed.extend(other.packed);
        self.rows.extend(other.rows);
    }
}

/// Those of several tables.
impl FromIterator<Self> for ReceiptSlice {
    fn from_iter<I: IntoIterator<Item = Self>>(slices: I) -> Self {
        let mut slices = slices.into_iter();
        let mut all = slices.next().unwrap_or_default();
        slices.for_each(|slice| all.append(slice));
        all
    }
}

/// How a table's rows come in the short form; `None` where its columns do not allow it.
pub(super) fn form(table: &ReceiptTable) -> Option<ShortForm> {
    let own = table.original_id.as_ref().map(|it| Fragment::text(format!("{} IS NULL", it.select())));
    Some(ShortForm::new(table.id.short()?, table.consumed.as_ref()?.short()?, own))
}

impl Shard for ReceiptTable {
    fn relation(&self) -> &Relation {
        &self.relation
    }

    fn form(&self) -> Option<&ShortForm> {
        self.short.as_ref()
    }

    fn slicing(&self) -> Slicing {
        self.slicing()
    }

    fn together(&self, form: &ShortForm, span: Span) -> Result<Statement, SourceError> {
        self.short_statement(form, span, Put::All)
    }
}

impl ReceiptTable {
    /// The rows of [`Self::read`], in the short form where `many` are expected and it can be done.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn read_slice(
        &self,
        slice: Span,
        max_rows: usize,
        many: bool,
    ) -> Result<Option<ReceiptSlice>, SourceError> {
        let Some(form) = self.short.as_ref().filter(|_| many && !self.slicing().whole) else {
            return self.read_rows(slice, max_rows).await;
        };
        match form.ask(&self.relation, |put| self.short_statement(form, slice, put)).await {
            Ok(Answer::Groups(groups)) => match self.beside(form, slice, max_rows, &groups).await? {
                Some(rows) => Ok(Some(ReceiptSlice { short: one(groups), rows, ..ReceiptSlice::default() })),
                // A row has changed between two statements.
                None => self.read_rows(slice, max_rows).await,
            },
            Ok(Answer::Cut) if slice.micros() > crate::model::time::SECOND => Ok(None),
            Ok(Answer::Cut | Answer::Unfit) => self.read_rows(slice, max_rows).await,
            // The server may lack a function, or refuse so long a value; it may still give rows.
            Err(error) if error.kind == ErrorKind::Other => self.read_rows(slice, max_rows).await,
            Err(error) => Err(error),
        }
    }

    /// Whether [`Self::read_together`] can read this table and another.
    #[must_use]
    pub fn joins(&self, other: &Self) -> bool {
        join(self, other)
    }

    /// The rows of [`Self::read_slice`] of several tables that join each other, by one statement. `None` where each has to
    /// be read by itself.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn read_together(
        tables: &[Arc<Self>],
        slice: Span,
    ) -> Result<Option<ReceiptSlice>, SourceError> {
        let groups = ask_together(tables, slice).await?;
        let Some(short) = groups.and_then(all) else { return Ok(None) };
        Ok(Some(ReceiptSlice { short, ..ReceiptSlice::default() }))
    }

    async fn read_rows(&self, slice: Span, max_rows: usize) -> Result<Option<ReceiptSlice>, SourceError> {
        let rows = self.read(slice, max_rows).await?;
        Ok(rows.map(|rows| ReceiptSlice { rows, ..ReceiptSlice::default() }))
    }

    /// Rows of the slice that do not fit; `None` if they are not as many as were counted, or too many.
    async fn beside(
        &self,
        form: &ShortForm,
        slice: Span,
        max_rows: usize,
        groups: &[Group],
    ) -> Result<Option<Vec<Receipt>>, SourceError> {
        let left: usize = groups.iter().map(|group| group.rows - group.fitting.min(group.rows)).sum();
        if left == 0 {
            return Ok(Some(Vec::new()));
        }
        let filter = self.filter.clone().and_text(" AND ").and(form.rest());
        let rows = self.collect(&self.range_of(slice, limit(max_rows), filter)?, &|_| true).await?;
        Ok((rows.fetched == left && left <= max_rows).then_some(rows.found))
    }

    pub(super) fn short_statement(
        &self,
        form: &ShortForm,
        span: Span,
        put: Put,
    ) -> Result<Statement, SourceError> {
        let mut slots = form.slots(put);
        slots.extend([
            ("consumed_within", crate::source::within(self.consumed.as_ref(), span)),
            ("consumer", self.own_in_span()),
            ("filter", self.filter.clone()),
        ]);
        self.relation.statement_along(self.along(), Query::ReceiptsShort, &slots)
    }
}

fn one(groups: Vec<Group>) -> Bulk {
    groups.into_iter().next().map(|group| group.bulk).unwrap_or_default()
}

/// The rows of all tables; `None` where they are more text than one buffer holds.
fn all(groups: Vec<Group>) -> Option<Bulk> {
    let mut groups = groups.into_iter().map(|group| group.bulk);
    let mut bulk = groups.next().unwrap_or_default();
    groups.all(|next| bulk.append(&next)).then_some(bulk)
}
