//! Receipts that the server adds up by their ids, and the rows that it cannot add up or that differ.

use super::{CONSUMED, ReceiptTable};
use crate::model::{Receipt, Span};
use crate::sketch::Sketch;
use crate::source::id_column::Canonical;
use crate::source::sketching;
use crate::source::sql::{Fragment, Query, Statement};
use crate::source::{SourceError, limit, within};

impl ReceiptTable {
    /// Why this table cannot be added up, if it cannot.
    #[must_use]
    pub fn sketch_obstacle(&self) -> Option<String> {
        let two = self.original_id.is_some();
        sketching::inexact(self.consumed.as_ref(), CONSUMED)
            .or_else(|| two.then(|| "`original_id` gives a receipt one of two ids".to_owned()))
            .or_else(|| self.id.canonical().err())
    }

    /// Whether the server makes digests as they are made here: what differs, if anything does.
    ///
    /// # Errors
    /// If the table cannot be read.
    pub async fn sketch_check(&self) -> Result<Option<String>, SourceError> {
        sketching::check(&self.relation, &self.id).await
    }

    /// Adds up the ids of the receipts of a span.
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub async fn sketch(&self, span: Span, buckets: u32) -> Result<Sketch, SourceError> {
        let statement = self.sketch_statement(span, buckets)?;
        sketching::added(&self.relation, &statement, buckets).await
    }

    /// How many receipts of a span can be added up.
    ///
    /// # Errors
    /// If the rows cannot be read.
    pub async fn count(&self, span: Span) -> Result<u64, SourceError> {
        let present = Fragment::text(self.canonical()?.present());
        let statement = self.relation.statement(Query::ReceiptsCount, &self.consumed_in(span, present))?;
        let rows = self.relation.db.collect(&statement, Some(&self.relation.name), &|row| {
            Ok(row.cell(0).integer().and_then(|count| u64::try_from(count).ok()))
        });
        Ok(rows.await?.found.into_iter().sum())
    }

    /// The receipts of a span that the server does not add up, since their ids are read here alone. `None` if there are
    /// more than `max_rows`.
    ///
    /// # Errors
    /// As for [`ReceiptTable::read`].
    pub async fn beside_sketch(
        &self,
        span: Span,
        max_rows: usize,
    ) -> Result<Option<Vec<Receipt>>, SourceError> {
        let others = Fragment::text(format!("NOT {}", self.canonical()?.present()));
        self.picked(&self.picked_statement(span, others, limit(max_rows))?, max_rows).await
    }

    /// The receipts of a span that the server adds up, of some buckets. `None` if there are more than `max_rows`.
    ///
    /// # Errors
    /// As for [`ReceiptTable::read`].
    pub async fn in_buckets(
        &self,
        span: Span,
        buckets: u32,
        wanted: &[u32],
        max_rows: usize,
    ) -> Result<Option<Vec<Receipt>>, SourceError> {
        self.picked(&self.buckets_statement(span, buckets, wanted, limit(max_rows))?, max_rows).await
    }

    /// The statements that adding up a span takes, by name, with their values written in.
    #[must_use]
    pub fn sketch_statements(&self, span: Span, buckets: u32) -> Vec<(String, String)> {
        let mut all: Vec<Statement> = self.sketch_statement(span, buckets).into_iter().collect();
        all.extend(self.buckets_statement(span, buckets, &[0], crate::source::shown_limit()));
        crate::source::shown(&all)
    }

    async fn picked(
        &self,
        statement: &Statement,
        max_rows: usize,
    ) -> Result<Option<Vec<Receipt>>, SourceError> {
        let rows = self.collect(statement, &|_| true).await?;
        Ok((rows.fetched <= max_rows).then_some(rows.found))
    }

    fn canonical(&self) -> Result<Canonical, SourceError> {
        let wrong = |why| self.relation.error(crate::source::error::Failure::other(why));
        self.id.canonical().map_err(wrong)
    }

    fn sketch_statement(&self, span: Span, buckets: u32) -> Result<Statement, SourceError> {
        let id = self.canonical()?;
        let mut slots = sketching::slots(self.relation.db.dialect(), &id, buckets);
        slots.extend(self.consumed_in(span, Fragment::text(id.present())));
        self.relation.statement_along(self.along(), Query::ReceiptsSketch, &slots)
    }

    fn buckets_statement(
        &self,
        span: Span,
        buckets: u32,
        wanted: &[u32],
        limit: Fragment,
    ) -> Result<Statement, SourceError> {
        let id = self.canonical()?;
        let inside = sketching::in_buckets(&id, self.relation.db.dialect(), buckets, wanted);
        self.picked_statement(span, Fragment::text(id.present()).and_text(" AND ").and(inside), limit)
    }

    fn picked_statement(
        &self,
        span: Span,
        picked: Fragment,
        limit: Fragment,
    ) -> Result<Statement, SourceError> {
        let mut slots = self.row();
        slots.extend([
            ("consumed_within", within(self.consumed.as_ref(), span)),
            ("picked", picked),
            ("limit", limit),
        ]);
        self.relation.statement_along(self.along(), Query::ReceiptsPicked, &slots)
    }

    fn consumed_in(&self, span: Span, picked: Fragment) -> Vec<(&'static str, Fragment)> {
        vec![
            ("consumed_within", within(self.consumed.as_ref(), span)),
            ("consumer", self.own_in_span()),
            ("filter", self.filter.clone()),
            ("picked", picked),
        ]
    }
}
