//! Whole slices in the short form: the server puts the ids and the times of many rows into one value, in turn, or on
//! PostgreSQL into two.
//!
//! That costs both ends a fraction of what rows cost, and nothing may get lost on the way: the server counts what it
//! puts together, and an answer that does not come apart into exactly so many pieces is not used. What does not fit
//! (another state, no id, an odd type) is counted apart and read as rows.

mod ids;
mod times;
mod together;

pub use ids::ShortId;
use times::Clock;
pub use times::ShortTime;
pub use together::{Shard, ask as ask_together, join};

use super::SourceError;
use super::cell::{Cell, Fields};
use super::database::Database;
use super::relation::Relation;
use super::sql::{Fragment, Statement};
use crate::config::Dialect;
use crate::model::id::canonical_uuid;
use crate::model::{Bulk, Micros};
use std::sync::atomic::{AtomicBool, Ordering};

/// Stands between two pieces. No id that a person writes holds it, and one that does makes the count wrong.
const SEPARATOR: u8 = 0x1f;
/// A UUID in canonical text takes so many bytes.
const UUID: usize = 36;

/// How a table's rows come in the short form: on PostgreSQL all ids in one value and all times, 8 bytes each, in another;
/// else each time behind its id.
#[derive(Debug)]
pub struct ShortForm {
    ids: ShortId,
    times: ShortTime,
    /// The rows that fit into it.
    fits: Fragment,
    /// Whether every row with an id fits, and one without leaves nothing behind.
    all_fit: bool,
    /// A slice held rows that do not fit. Until one does the server need not ask twice of each row whether it fits, once to
    /// count it and once more to put it together.
    mixed: AtomicBool,
    /// Its table cannot be asked together with others.
    apart: AtomicBool,
}

/// What a statement in the short form gave.
#[derive(Debug)]
pub struct Group {
    /// How many rows lie in the slice.
    pub rows: usize,
    /// How many of them are in `bulk`.
    pub fitting: usize,
    /// Which consumers expect these events (bits).
    pub expected_by: u64,
    /// Ids and times.
    pub bulk: Bulk,
}

/// What became of a statement in the short form.
#[derive(Debug)]
pub enum Answer {
    /// All rows are accounted for.
    Groups(Vec<Group>),
    /// The server cut its answer off: a shorter slice may do.
    Cut,
    /// Rows have to be read one by one.
    Unfit,
}

/// Which rows of a slice are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Put {
    /// All: right where all fit.
    All,
    /// Those that fit.
    Fitting,
}

/// Consumers in each of the two bit sets of a row.
const BITS: usize = 32;

impl ShortForm {
    /// `fits` says which rows do beside what the columns themselves demand.
    pub fn new(ids: ShortId, times: ShortTime, fits: Option<Fragment>) -> Self {
        let columns = ids.fits().into_iter().chain(times.fits());
        // On PostgreSQL a row without an id would still give a time.
        let all_fit = ids.dialect() != Dialect::Postgres && fits.is_none() && columns.clone().count() == 0;
        // On SQLite the type is asked for, and NULL is not of it.
        let present = (ids.dialect() != Dialect::Sqlite).then(|| Fragment::text(ids.present()));
        let all = present.into_iter().chain(fits).chain(columns.map(Fragment::text));
        let fits = Fragment::join(all, " AND ");
        Self { ids, times, fits, all_fit, mixed: AtomicBool::new(false), apart: AtomicBool::new(false) }
    }

    /// What the statement's slots are filled with; `put` says which rows are put together.
    pub fn slots(&self, put: Put) -> Vec<(&'static str, Fragment)> {
        let (ids, times) = (self.ids.value(), self.times.value());
        // Aggregates leave out NULL.
        let only = if put == Put::All || self.all_fit {
            "".into()
        } else {
            Fragment::text(" FILTER (WHERE ").and(self.fits.clone()).and_text(")")
        };
        match self.ids.dialect() {
            Dialect::Mysql => {
                let fitting = self.where_fits(&ids);
                let put = if put == Put::All { Fragment::text(ids) } else { fitting.clone() };
                vec![("fitting", fitting), ("together", self.listed(put, &times))]
            }
            Dialect::Postgres => {
                let between = if self.ids.is_separated() { r"E'\x1f'" } else { "''::bytea" };
                let (ids, times) = (Fragment::text(ids), Fragment::text(times));
                let fits = ("fits", self.fits.clone());
                vec![fits, ("ids", ids), ("between", between.into()), ("times", times), ("only", only)]
            }
            Dialect::Sqlite => {
                // Not X'1F', which is nothing at all where a file keeps text in UTF-16.
                let together = Fragment::text(format!("{ids} || char(31) || {times}"));
                vec![("fits", self.fits.clone()), ("together", together), ("only", only)]
            }
        }
    }

    /// An id and its time as MySQL puts them together. With a character set, lest the whole become binary, in whatever
    /// character set the column has; with a separator behind the last one too: an answer that was cut off lacks it.
    fn listed(&self, ids: Fragment, times: &str) -> Fragment {
        const SEPARATED: &str = ", _utf8mb4 X'1F'";
        let (between, behind) = match (self.ids.is_separated(), self.times.length()) {
            (true, None) => (SEPARATED, SEPARATED),
            // Where one of them is always equally long, it is known where it meets the other.
            (true, Some(_)) | (false, None) => ("", SEPARATED),
            (false, Some(_)) => ("", ""),
        };
        ids.and_text(format!("{between}, {times}{behind}"))
    }

    /// Aggregates leave out NULL.
    fn where_fits(&self, value: &str) -> Fragment {
        if self.all_fit {
            return Fragment::text(value);
        }
        Fragment::text("CASE WHEN ").and(self.fits.clone()).and_text(format!(" THEN {value} END"))
    }

    /// The rows that do not fit.
    #[must_use]
    pub fn rest(&self) -> Fragment {
        Fragment::text("(CASE WHEN ").and(self.fits.clone()).and_text(" THEN 0 ELSE 1 END = 1)")
    }

    /// Runs the statement whose rows are: rows, fitting rows, ids and times in one, and of events the two sets of bits.
    pub async fn ask(
        &self,
        relation: &Relation,
        statement: impl Fn(Put) -> Result<Statement, SourceError>,
    ) -> Result<Answer, SourceError> {
        if !self.all_fit && !self.mixed.load(Ordering::Relaxed) {
            if let Some(answer) = self.run(relation, &statement(Put::All)?, Put::All).await? {
                return Ok(answer);
            }
            self.mixed.store(true, Ordering::Relaxed);
        }
        let answer = self.run(relation, &statement(Put::Fitting)?, Put::Fitting).await?;
        Ok(answer.unwrap_or(Answer::Unfit))
    }

    /// `None` where rows were put together that do not fit.
    async fn run(
        &self,
        relation: &Relation,
        statement: &Statement,
        put: Put,
    ) -> Result<Option<Answer>, SourceError> {
        Ok(match self.groups(&relation.db, &relation.name, statement, put).await? {
            Ok(groups) => Some(Answer::Groups(groups)),
            Err(Misfit::Mixed) => None,
            Err(Misfit::Few) if self.ids.dialect() == Dialect::Mysql => Some(Answer::Cut),
            Err(Misfit::Few | Misfit::Other) => Some(Answer::Unfit),
        })
    }

    async fn groups(
        &self,
        db: &Database,
        table: &str,
        statement: &Statement,
        put: Put,
    ) -> Result<Result<Vec<Group>, Misfit>, SourceError> {
        let decode = |row: &dyn Fields| Ok(Some(self.group(row, put)));
        let rows = db.collect(statement, Some(table), &decode).await?;
        let groups: Result<Vec<Group>, Misfit> = rows.found.into_iter().collect();
        if let Ok(groups) = &groups {
            db.gave(groups.iter().map(|group| group.rows).sum()).await;
        }
        Ok(groups)
    }

    fn group(&self, row: &dyn Fields, put: Put) -> Result<Group, Misfit> {
        let count = |place| row.cell(place).integer().and_then(|it| usize::try_from(it).ok());
        let bits = |place| row.cell(place).integer().and_then(|it| u64::try_from(it).ok()).unwrap_or(0);
        let (rows, fitting) = count(0).zip(count(1)).ok_or(Misfit::Other)?;
        if put == Put::All && fitting != rows {
            return Err(Misfit::Mixed);
        }
        let value = bytes(row.cell(2));
        let bulk = match self.ids.dialect() {
            Dialect::Postgres => self.of_two(value, bytes(row.named("times")), fitting)?,
            Dialect::Sqlite | Dialect::Mysql => self.bulk(value, fitting)?,
        };
        Ok(Group { rows, fitting, expected_by: bits(3) | bits(4) << BITS, bulk })
    }

    /// Takes the values apart that hold ids and times.
    fn of_two(&self, ids: &[u8], times: &[u8], fitting: usize) -> Result<Bulk, Misfit> {
        let mut bulk = Bulk::with_capacity(fitting);
        let (times, left) = times.as_chunks::<8>();
        if times.len() != fitting || !left.is_empty() {
            return Err(Misfit::Few);
        }
        if fitting == 0 {
            return Ok(bulk);
        }
        let (mut pieces, mut clock) = (Pieces::of(ids), self.times.clock());
        for at in times {
            let at = clock.instant(at).ok_or(Misfit::Other)?;
            if let Some((uuid, _)) = self.ids.uuid(&pieces, 0) {
                pieces.skip_uuid(0);
                bulk.push_uuid(uuid, at);
                continue;
            }
            let id = self.ids.piece(&mut pieces).ok_or(Misfit::Few)?;
            self.ids.take(id, at, &mut bulk).ok_or(Misfit::Other)?;
        }
        // A separator within an id leaves a piece more.
        match (self.ids.is_separated(), pieces.0) {
            (false, Some([])) | (true, None) => Ok(bulk),
            _ => Err(Misfit::Other),
        }
    }

    /// Takes the value apart that holds both.
    fn bulk(&self, value: &[u8], fitting: usize) -> Result<Bulk, Misfit> {
        let mut bulk = Bulk::with_capacity(fitting);
        if fitting == 0 {
            return Ok(bulk);
        }
        let (mut pieces, mut clock) = (Pieces::of(value), self.times.clock());
        for _ in 0..fitting {
            if let Some((uuid, at)) = self.usual(&mut pieces, &mut clock) {
                bulk.push_uuid(uuid, at);
                continue;
            }
            let (id, at) = self.next(&mut pieces)?;
            let at = clock.instant(at).ok_or(Misfit::Other)?;
            self.ids.take(id, at, &mut bulk).ok_or(Misfit::Other)?;
        }
        // The last piece is known to be whole by its length or by what stands behind it on MySQL, which alone cuts answers off.
        match (self.ids.dialect() == Dialect::Mysql, pieces.0) {
            (true, Some([])) | (false, None) => Ok(bulk),
            (true, None) => Err(Misfit::Few),
            _ => Err(Misfit::Other),
        }
    }

    /// The next row, where it is a canonical UUID and a time of known length: it ends where they do.
    fn usual(&self, pieces: &mut Pieces<'_>, clock: &mut Clock<'_>) -> Option<([u8; 16], Micros)> {
        let length = self.times.length()?;
        let (uuid, time) = self.ids.uuid(pieces, length)?;
        let at = clock.instant(time)?;
        pieces.skip_uuid(length);
        Some((uuid, at))
    }

    /// The pieces of the next id and its time.
    fn next<'b>(&self, pieces: &mut Pieces<'b>) -> Result<(&'b [u8], &'b [u8]), Misfit> {
        let Some(length) = self.times.length() else {
            let id = self.ids.piece(pieces).ok_or(Misfit::Few)?;
            return Ok((id, pieces.separated().ok_or(Misfit::Few)?));
        };
        let piece = if self.ids.is_separated() { pieces.closed() } else { pieces.fixed(16 + length) };
        let piece = piece.ok_or(Misfit::Few)?;
        piece.len().checked_sub(length).map(|id| piece.split_at(id)).ok_or(Misfit::Other)
    }
}

/// Why an answer cannot be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Misfit {
    /// It has fewer pieces than rows.
    Few,
    /// It holds rows that do not fit.
    Mixed,
    /// Anything else.
    Other,
}

fn bytes(cell: Cell<'_>) -> &[u8] {
    match cell {
        Cell::Text(bytes) | Cell::Bytes(bytes) => bytes,
        _ => &[],
    }
}

/// What is left of a value; `None` after its last piece.
struct Pieces<'b>(Option<&'b [u8]>);

impl<'b> Pieces<'b> {
    fn of(value: &'b [u8]) -> Self {
        Self(Some(value))
    }

    /// Up to the next separator, or the end.
    fn separated(&mut self) -> Option<&'b [u8]> {
        let rest = self.0?;
        let end = memchr::memchr(SEPARATOR, rest);
        self.0 = end.map(|end| &rest[end + 1..]);
        Some(&rest[..end.unwrap_or(rest.len())])
    }

    /// A UUID in canonical text and so many bytes, if a separator stands behind them. That is the next one, unless the bytes
    /// hold one: the UUID does not. Looking for it would take longer than reading the UUID.
    fn uuid(&self, behind: usize) -> Option<([u8; 16], &'b [u8])> {
        let (text, rest) = self.0?.split_at_checked(UUID)?;
        let (bytes, rest) = rest.split_at_checked(behind)?;
        let closed = rest.first() == Some(&SEPARATOR);
        closed.then(|| canonical_uuid(text)).flatten().map(|uuid| (uuid, bytes))
    }

    /// Goes on behind what [`Self::uuid`] found.
    fn skip_uuid(&mut self, behind: usize) {
        self.0 = self.0.and_then(|rest| rest.get(UUID + behind + 1..));
    }

    /// Up to the next separator, which must be there.
    fn closed(&mut self) -> Option<&'b [u8]> {
        self.separated().filter(|_| self.0.is_some())
    }

    /// So many bytes.
    fn fixed(&mut self, length: usize) -> Option<&'b [u8]> {
        let (piece, rest) = self.0?.split_at_checked(length)?;
        self.0 = Some(rest);
        Some(piece)
    }
}

#[cfg(test)]
mod tests;
