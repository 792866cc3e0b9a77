//! One physical dedup table, as one consumer sees it.

mod aside;
mod others;
mod packed;
mod short;
mod sketch;

pub use short::ReceiptSlice;

use super::cell::Fields;
use super::consumer_column::ConsumerColumn;
use super::database::{Database, Rows};
use super::id_column::IdColumn;
use super::look_up;
use super::relation::{Asked, Relation, Types};
use super::short::{Put, ShortForm};
use super::sql::{Fragment, Query, Statement};
use super::time_column::TimeColumn;
use super::{Slicing, SourceError, limit, notes, scan, shown_limit, type_of};
use crate::config::{self, Dialect, Expression};
use crate::model::event::Stamp;
use crate::model::{Id, Micros, Receipt, Span};
use futures_util::{StreamExt as _, TryStreamExt as _, stream};

/// One physical dedup table, as one consumer sees it; a consumer with shards holds several.
#[derive(Debug)]
pub struct ReceiptTable {
    relation: Relation,
    filter: Fragment,
    /// Whether that is a condition at all.
    filtered: bool,
    names: Vec<String>,
    consumer: Option<ConsumerColumn>,
    id: IdColumn,
    original_id: Option<IdColumn>,
    consumed: Option<TimeColumn>,
    notes: Vec<String>,
    short: Option<ShortForm>,
    /// On MySQL: the index that a span is read along, since all that is read stands in it.
    covering: Option<String>,
}

impl ReceiptTable {
    /// Opens it: probes its columns, conditions and indexes.
    ///
    /// # Errors
    /// If the table or a column is missing, may not be read, or does not fit what the configuration says of it.
    pub async fn open(
        db: &Database,
        table: &config::Table,
        consumer: &config::Consumer,
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        let opened = Self::open_all(db, std::slice::from_ref(table), consumer, as_of).await?;
        opened.into_iter().next().ok_or_else(|| SourceError::broken(db.name(), "no table was opened"))
    }

    /// The same of several tables, some at a time; what is alike in them is asked for once.
    ///
    /// # Errors
    /// As for [`Self::open`].
    pub async fn open_all(
        db: &Database,
        tables: &[config::Table],
        consumer: &config::Consumer,
        as_of: Micros,
    ) -> Result<Vec<Self>, SourceError> {
        let relations = Relation::open_all(db, tables, &asked(db.dialect(), consumer)).await?;
        let opened =
            relations.into_iter().map(|(relation, types)| Self::of(relation, types, consumer, as_of));
        stream::iter(opened).buffered(db.tables_at_once()).try_collect().await
    }

    async fn of(
        relation: Relation,
        types: Types,
        consumer: &config::Consumer,
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        let dialect = relation.db.dialect();
        let id_column = |key, column| {
            IdColumn::new(&relation, key, column, type_of(&types, key))
                .map_err(|failure| relation.error(failure))
        };
        let id = id_column(ID, &consumer.id)?;
        let original_id =
            consumer.original_id.as_ref().map(|column| id_column(ORIGINAL, column)).transpose()?;
        let times = match &consumer.consumed_at {
            Some(column) => {
                Some(TimeColumn::open(&relation, CONSUMED, column, type_of(&types, CONSUMED), as_of).await?)
            }
            None => None,
        };
        let column = consumer.consumer_column.as_ref();
        let fixed: Vec<&str> = consumer.consumer_column.as_deref().into_iter().collect();
        let notes = notes::of(&relation, &ids(&id, original_id.as_ref()), &[&times], &fixed);
        let mut table = Self {
            filter: super::condition(consumer.filter.as_deref()),
            filtered: consumer.filter.is_some(),
            names: [std::slice::from_ref(&consumer.name), &consumer.aliases].concat(),
            consumer: column.map(|name| {
                let utf8 = relation.holds_utf8(&Expression::Column(name.clone()));
                ConsumerColumn::new(dialect, name, type_of(&types, NAME).kind, utf8)
            }),
            relation,
            id,
            original_id,
            consumed: times,
            notes,
            short: None,
            covering: None,
        };
        table.short = short::form(&table);
        table.covering = table.find_covering().await;
        Ok(table)
    }

    /// An index that holds everything that the receipts of a span are found by.
    async fn find_covering(&self) -> Option<String> {
        if self.filtered {
            return None; // What another condition needs is not known.
        }
        let consumed = self.consumed.as_ref()?.column()?;
        let mut needed = Vec::new();
        for id in self.ids() {
            needed.push(id.column()?);
        }
        let fixed: Vec<_> = self.consumer.iter().map(ConsumerColumn::name).collect();
        needed.extend(&fixed);
        self.relation.covering(&fixed, consumed, &needed).await
    }

    fn along(&self) -> Option<&str> {
        self.covering.as_deref()
    }

    /// Rows of the flow's consumers among those of a span.
    fn own_in_span(&self) -> Fragment {
        let Some(consumer) = &self.consumer else { return "(1 = 1)".into() };
        let time = self.consumed.as_ref().and_then(TimeColumn::column);
        match self.along().zip(time) {
            Some((index, time)) if self.relation.begins_with(index, time) => {
                consumer.is_exactly_one_of(&self.names)
            }
            _ => consumer.is_one_of(&self.names),
        }
    }

    /// Refuses a large table that would be read from end to end, unless that is `allowed`.
    ///
    /// # Errors
    /// If it is refused, which names the index that is missing.
    pub async fn refuse_full_scans(&self, allowed: bool, as_of: Micros) -> Result<(), SourceError> {
        scan::refuse(&self.relation, "consumers", allowed, || self.asked(as_of)).await
    }

    /// Each kind of statement that it will be asked.
    fn asked(&self, as_of: Micros) -> Result<Vec<scan::Asked<'_>>, SourceError> {
        let column = scan::column(self.consumed.as_ref());
        let mut asked = vec![(self.range(scan::minute(as_of), shown_limit())?, column.clone())];
        asked.extend(self.undated_statement(shown_limit())?.map(|statement| (statement, column)));
        let ids = self.ids();
        for search in look_up::searches(&scan::ids(), &ids, true) {
            let columns = ids.iter().filter_map(|id| id.column()).collect();
            asked.push((self.by_id_statement(search.matches)?, columns));
        }
        Ok(asked)
    }

    /// Where it is.
    #[must_use]
    pub fn database(&self) -> &Database {
        &self.relation.db
    }

    /// How a range has to be cut for reading.
    #[must_use]
    pub fn slicing(&self) -> Slicing {
        super::slicing([&self.consumed])
    }

    /// Whether the database guarantees that no id comes twice for this consumer.
    #[must_use]
    pub fn ids_unique(&self) -> bool {
        let (Some(id), None) = (self.id.column(), &self.original_id) else { return false };
        let mut columns = vec![id];
        if self.names.len() == 1 {
            columns.extend(self.consumer.as_ref().map(ConsumerColumn::name));
        }
        self.id.keeps_distinct() && self.relation.unique_within(&columns)
    }

    /// Whether an index serves look-ups by id.
    #[must_use]
    pub fn look_up_indexed(&self) -> bool {
        let fixed: Vec<&str> = self.consumer.iter().map(ConsumerColumn::name).collect();
        look_up::indexed(&self.relation, &self.ids(), &fixed)
    }

    /// Warnings for the plan and the report.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The receipts whose time may lie in the slice; `None` if there are more than `max_rows`. Receipts without a
    /// usable time are left to [`Self::undated`], unless the table can only be read whole.
    ///
    /// # Errors
    /// If the rows cannot be read, or hold times that need a zone or a unit that is not declared.
    pub async fn read(&self, slice: Span, max_rows: usize) -> Result<Option<Vec<Receipt>>, SourceError> {
        let statement = self.range(slice, limit(max_rows))?;
        let rows = self.collect(&statement, &|_| true).await?;
        Ok((rows.fetched <= max_rows).then_some(rows.found))
    }

    /// All receipts of these ids, compared byte by byte.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn by_id(&self, ids: &[Id]) -> Result<Vec<Receipt>, SourceError> {
        let mut receipts = Vec::new();
        for search in look_up::searches(ids, &self.ids(), self.look_up_indexed()) {
            let statement = self.by_id_statement(search.matches)?;
            let wanted = |receipt: &Receipt| receipt.id.as_ref().is_some_and(|id| search.wanted.contains(id));
            receipts.extend(self.collect(&statement, &wanted).await?.found);
        }
        Ok(receipts)
    }

    /// The oldest receipt's time, where an index makes that cheap; of all the table's consumers.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn oldest(&self) -> Result<Option<Micros>, SourceError> {
        let Some(consumed) = &self.consumed else { return Ok(None) };
        if self.slicing().whole || !consumed.column().is_some_and(|column| self.relation.leads(column)) {
            return Ok(None);
        }
        let slots = [
            ("consumed", Fragment::text(consumed.select())),
            ("consumed_raw", Fragment::text(consumed.raw())),
            ("consumed_usable", consumed.usable()),
        ];
        let statement = self.relation.statement(Query::ReceiptsOldest, &slots)?;
        let decode = |row: &dyn Fields| consumed.read(row.cell(0)).map(Some);
        let rows = self.relation.db.collect(&statement, Some(&self.relation.name), &decode).await?;
        Ok(rows.found.first().and_then(|stamp| stamp.at()))
    }

    /// The statements that reading a span takes, by name, with their values written in.
    #[must_use]
    pub fn statements(&self, span: Span) -> Vec<(String, String)> {
        let short = self.short.as_ref().and_then(|form| self.short_statement(form, span, Put::All).ok());
        let mut all: Vec<Statement> = short.into_iter().collect();
        all.extend(self.range(span, shown_limit()));
        all.extend(self.undated_statement(shown_limit()).ok().flatten());
        all.extend(self.by_id_statement(look_up::shown(&self.ids())));
        all.extend(self.others(span, &[]).ok().flatten());
        super::shown(&all)
    }

    fn ids(&self) -> Vec<&IdColumn> {
        ids(&self.id, self.original_id.as_ref())
    }

    async fn collect(
        &self,
        statement: &Statement,
        keep: &(dyn Fn(&Receipt) -> bool + Sync),
    ) -> Result<Rows<Receipt>, SourceError> {
        let decode = |row: &dyn Fields| Ok(Some(self.receipt(row)?).filter(|receipt| keep(receipt)));
        self.relation.db.collect(statement, Some(&self.relation.name), &decode).await
    }

    fn receipt(&self, row: &dyn Fields) -> Result<Receipt, String> {
        let original = self.original_id.as_ref().and_then(|column| column.read(row.cell(1)));
        // Some tables keep an empty text where there is no original.
        let original = original.filter(|id| *id != Id::from_text(""));
        Ok(Receipt {
            id: original.or_else(|| self.id.read(row.cell(0))),
            consumed: self.consumed.as_ref().map_or(Ok(Stamp::None), |column| column.read(row.cell(2)))?,
        })
    }

    fn range(&self, span: Span, limit: Fragment) -> Result<Statement, SourceError> {
        self.range_of(span, limit, self.filter.clone())
    }

    fn range_of(&self, span: Span, limit: Fragment, filter: Fragment) -> Result<Statement, SourceError> {
        let mut slots = self.row();
        slots.retain(|(slot, _)| *slot != "filter");
        slots.push(("filter", filter));
        slots.extend([("consumed_within", super::within(self.consumed.as_ref(), span)), ("limit", limit)]);
        self.relation.statement_along(self.along(), Query::Receipts, &slots)
    }

    /// `None` where everything is read whole anyway.
    fn undated_statement(&self, limit: Fragment) -> Result<Option<Statement>, SourceError> {
        let Some(consumed) = self.consumed.as_ref().filter(|_| !self.slicing().whole) else {
            return Ok(None);
        };
        let mut slots = self.row();
        slots.extend([("consumed_unusable", self.unusable(consumed)), ("limit", limit)]);
        self.relation.statement(Query::ReceiptsUndated, &slots).map(Some)
    }

    /// As ranges where an index serves them; half dates that are years old may then stay unread, and look-ups by id find
    /// their rows.
    fn unusable(&self, consumed: &TimeColumn) -> Fragment {
        let indexed = consumed.column().is_some_and(|column| self.relation.leads(column));
        if indexed { consumed.unusable_by_index() } else { consumed.unusable() }
    }

    fn by_id_statement(&self, matches: Fragment) -> Result<Statement, SourceError> {
        let mut slots = self.row();
        slots.push(("matches", matches));
        self.relation.statement(Query::ReceiptsById, &slots)
    }

    fn row(&self) -> Vec<(&'static str, Fragment)> {
        let original = self.original_id.as_ref().map_or("NULL".to_owned(), IdColumn::select);
        let consumed = self.consumed.as_ref().map_or("NULL".to_owned(), TimeColumn::select);
        vec![
            ("id", Fragment::text(self.id.select())),
            ("original_id", Fragment::text(original)),
            ("consumed", Fragment::text(consumed)),
            (
                "consumer",
                self.consumer.as_ref().map_or("(1 = 1)".into(), |column| column.is_one_of(&self.names)),
            ),
            ("filter", self.filter.clone()),
        ]
    }
}

const ID: &str = "consumers.id";
const ORIGINAL: &str = "consumers.original_id";
const CONSUMED: &str = "consumers.consumed_at";
const NAME: &str = "consumers.consumer";

fn ids<'a>(id: &'a IdColumn, original_id: Option<&'a IdColumn>) -> Vec<&'a IdColumn> {
    std::iter::once(id).chain(original_id).collect()
}

fn asked(dialect: Dialect, consumer: &config::Consumer) -> Vec<Asked> {
    let sql = |expression| super::sql::expression(dialect, expression);
    let mut asked = vec![Asked::value(ID, sql(&consumer.id.expression))];
    asked.extend(consumer.original_id.iter().map(|column| Asked::value(ORIGINAL, sql(&column.expression))));
    asked.extend(consumer.consumed_at.iter().map(|column| Asked::value(CONSUMED, sql(&column.expression))));
    asked.extend(
        consumer.consumer_column.iter().map(|name| Asked::value(NAME, super::sql::quote(dialect, name))),
    );
    asked.extend(consumer.filter.iter().map(|condition| Asked::condition("consumers.where", condition)));
    asked
}
