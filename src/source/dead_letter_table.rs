//! One consumer's dead-letter table.

use super::cell::{Fields, Kind};
use super::database::{Database, Rows};
use super::id_column::IdColumn;
use super::look_up;
use super::relation::{Asked, Relation};
use super::sql::{Fragment, Query, Statement};
use super::time_column::TimeColumn;
use super::{Slicing, SourceError, limit, notes, scan, shown_limit, type_of};
use crate::config::{self, Dialect};
use crate::model::event::Stamp;
use crate::model::{DeadLetter, Id, Micros, Span};

/// One consumer's dead-letter table.
#[derive(Debug)]
pub struct DeadLetterTable {
    relation: Relation,
    filter: Fragment,
    id: IdColumn,
    dead: Option<TimeColumn>,
    closed: Option<String>,
    reason: Option<String>,
    notes: Vec<String>,
}

/// So many characters of a reason are kept.
const REASON: usize = 500;

impl DeadLetterTable {
    /// Opens it: probes its columns, conditions and indexes.
    ///
    /// # Errors
    /// If the table or a column is missing, may not be read, or does not fit what the configuration says of it.
    pub async fn open(
        db: &Database,
        dead_letters: &config::DeadLetters,
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        let (relation, types) =
            Relation::open(db, &dead_letters.table, &asked(db.dialect(), dead_letters)).await?;
        let id = IdColumn::new(&relation, ID, &dead_letters.id, type_of(&types, ID))
            .map_err(|it| relation.error(it))?;
        let dead = match &dead_letters.dead_at {
            Some(column) => {
                Some(TimeColumn::open(&relation, DEAD, column, type_of(&types, DEAD), as_of).await?)
            }
            None => None,
        };
        let reason = dead_letters
            .reason
            .as_ref()
            .map(|column| reason(db.dialect(), column, type_of(&types, WHY).kind));
        let notes = notes::of(&relation, &[&id], &[&dead], &[]);
        Ok(Self {
            filter: super::condition(dead_letters.filter.as_deref()),
            closed: dead_letters.closed.clone(),
            relation,
            id,
            dead,
            reason,
            notes,
        })
    }

    /// Refuses a large table that would be read from end to end, unless that is `allowed`.
    ///
    /// # Errors
    /// If it is refused, which names the index that is missing.
    pub async fn refuse_full_scans(&self, allowed: bool, as_of: Micros) -> Result<(), SourceError> {
        scan::refuse(&self.relation, "dead_letters", allowed, || self.asked(as_of)).await
    }

    /// Each kind of statement that it will be asked.
    fn asked(&self, as_of: Micros) -> Result<Vec<scan::Asked<'_>>, SourceError> {
        let column = scan::column(self.dead.as_ref());
        let mut asked = vec![(self.range(scan::minute(as_of), shown_limit())?, column)];
        let ids = [&self.id];
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
        super::slicing([&self.dead])
    }

    /// Whether an index serves look-ups by id.
    #[must_use]
    pub fn look_up_indexed(&self) -> bool {
        look_up::indexed(&self.relation, &[&self.id], &[])
    }

    /// Warnings for the plan and the report.
    #[must_use]
    pub fn notes(&self) -> &[String] {
        &self.notes
    }

    /// The dead letters whose time may lie in the slice; `None` if there are more than `max_rows`.
    ///
    /// # Errors
    /// If the rows cannot be read, or hold times that need a zone or a unit that is not declared.
    pub async fn read(&self, slice: Span, max_rows: usize) -> Result<Option<Vec<DeadLetter>>, SourceError> {
        let statement = self.range(slice, limit(max_rows))?;
        let rows = self.collect(&statement, &|_| true).await?;
        Ok((rows.fetched <= max_rows).then_some(rows.found))
    }

    /// All dead letters of these ids, compared byte by byte.
    ///
    /// # Errors
    /// As for [`Self::read`].
    pub async fn by_id(&self, ids: &[Id]) -> Result<Vec<DeadLetter>, SourceError> {
        let mut letters = Vec::new();
        for search in look_up::searches(ids, &[&self.id], self.look_up_indexed()) {
            let statement = self.by_id_statement(search.matches)?;
            let wanted =
                |letter: &DeadLetter| letter.id.as_ref().is_some_and(|id| search.wanted.contains(id));
            letters.extend(self.collect(&statement, &wanted).await?.found);
        }
        Ok(letters)
    }

    /// The statements that reading a span takes, by name, with their values written in.
    #[must_use]
    pub fn statements(&self, span: Span) -> Vec<(String, String)> {
        let mut all: Vec<Statement> = self.range(span, shown_limit()).into_iter().collect();
        all.extend(self.by_id_statement(look_up::shown(&[&self.id])));
        super::shown(&all)
    }

    async fn collect(
        &self,
        statement: &Statement,
        keep: &(dyn Fn(&DeadLetter) -> bool + Sync),
    ) -> Result<Rows<DeadLetter>, SourceError> {
        let decode = |row: &dyn Fields| Ok(Some(self.letter(row)?).filter(|letter| keep(letter)));
        self.relation.db.collect(statement, Some(&self.relation.name), &decode).await
    }

    fn letter(&self, row: &dyn Fields) -> Result<DeadLetter, String> {
        Ok(DeadLetter {
            id: self.id.read(row.cell(0)),
            dead: self.dead.as_ref().map_or(Ok(Stamp::None), |column| column.read(row.cell(1)))?,
            closed: row.cell(2).integer() == Some(1),
            reason: row.cell(3).text().map(|text| text.chars().take(REASON).collect()),
        })
    }

    fn range(&self, span: Span, limit: Fragment) -> Result<Statement, SourceError> {
        let mut slots = self.row();
        slots.extend([("dead_within", super::within(self.dead.as_ref(), span)), ("limit", limit)]);
        self.relation.statement(Query::DeadLetters, &slots)
    }

    fn by_id_statement(&self, matches: Fragment) -> Result<Statement, SourceError> {
        let mut slots = self.row();
        slots.push(("matches", matches));
        self.relation.statement(Query::DeadLettersById, &slots)
    }

    fn row(&self) -> Vec<(&'static str, Fragment)> {
        let closed = self.closed.as_ref().map_or("0".into(), |condition| {
            Fragment::text("CASE WHEN ").and(Fragment::condition(condition)).and_text(" THEN 1 ELSE 0 END")
        });
        vec![
            ("id", Fragment::text(self.id.select())),
            ("dead", Fragment::text(self.dead.as_ref().map_or("NULL".to_owned(), TimeColumn::select))),
            ("closed", closed),
            ("reason", Fragment::text(self.reason.as_deref().unwrap_or("NULL"))),
            ("filter", self.filter.clone()),
        ]
    }
}

const ID: &str = "dead_letters.id";
const DEAD: &str = "dead_letters.dead_at";
const WHY: &str = "dead_letters.reason";

fn asked(dialect: Dialect, dead_letters: &config::DeadLetters) -> Vec<Asked> {
    let sql = |expression| super::sql::expression(dialect, expression);
    let mut asked = vec![Asked::value(ID, sql(&dead_letters.id.expression))];
    asked.extend(dead_letters.dead_at.iter().map(|column| Asked::value(DEAD, sql(&column.expression))));
    asked.extend(
        dead_letters.reason.iter().map(|column| Asked::value(WHY, super::sql::quote(dialect, column))),
    );
    asked.extend(
        dead_letters.closed.iter().map(|condition| Asked::condition("dead_letters.closed", condition)),
    );
    asked.extend(
        dead_letters.filter.iter().map(|condition| Asked::condition("dead_letters.where", condition)),
    );
    asked
}

/// As text, whatever it is.
fn reason(dialect: Dialect, column: &str, kind: Kind) -> String {
    let quoted = super::sql::quote(dialect, column);
    match (dialect, kind) {
        (_, Kind::Text) | (Dialect::Sqlite, _) => quoted,
        (Dialect::Postgres, _) => format!("({quoted})::text"),
        (Dialect::Mysql, _) => format!("CONVERT({quoted} USING utf8mb4)"),
    }
}
