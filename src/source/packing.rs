//! Whole slices in the packed form: the server makes of every row 13 bytes, the end of the SHA-256 of its id and the low
//! 40 bits of its time. For slow links: that is a quarter of what the short form takes.
//!
//! A slice is far shorter than 2^40 microseconds, so that its begin gives back the instant exactly. The server counts what
//! it packs, and a value that is not exactly so long is not used. What does not fit is counted apart and read as rows.

use super::SourceError;
use super::axis::Axis;
use super::cell::{Cell, Fields, Kind};
use super::id_column::Canonical;
use super::relation::Relation;
use super::sql::{Fragment, Statement, Value};
use super::time_column::TimeColumn;
use crate::config::Dialect;
use crate::model::{Micros, PackedRow, Span};
use chrono::Datelike as _;
use std::collections::HashMap;

/// 2000-01-01T00:00:00Z, from which PostgreSQL counts.
const EPOCH: i64 = 946_684_800_000_000;
/// Bytes of a digest, and of it and a time.
const DIGEST: usize = 8;
const ROW: usize = 13;
/// A time comes modulo this.
const TURN: i64 = 1 << 40;
/// Consumers in each of the two bit sets of a row.
const BITS: usize = 32;
/// Behind so many digests rows are asked for at a time.
pub const PACKED_AT_MAX: usize = 256;

/// How times of a column are packed.
#[derive(Clone, Debug)]
pub struct PackedTime {
    dialect: Dialect,
    raw: String,
    form: Form,
    axis: Axis,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// PostgreSQL's own 8 bytes of a time with a zone.
    Instant,
    /// The same without one.
    Clock,
    /// A number, as it is.
    Number,
    /// The server counts the microseconds since the slice began.
    Since,
}

impl PackedTime {
    /// How a column's times are packed; `None` where the server cannot do it exactly.
    pub fn of(dialect: Dialect, raw: &str, kind: Kind, axis: Axis) -> Option<Self> {
        let form = match (dialect, kind, axis) {
            (Dialect::Postgres, Kind::Instant, Axis::Instant) => Some(Form::Instant),
            (Dialect::Postgres, Kind::Local, Axis::Local { margin: 0, .. }) => Some(Form::Clock),
            (Dialect::Postgres | Dialect::Mysql, Kind::Integer(..), Axis::Epoch { margin: 0, .. }) => {
                Some(Form::Number)
            }
            (Dialect::Mysql, Kind::Instant, Axis::Instant)
            | (Dialect::Mysql, Kind::Local, Axis::Local { margin: 0, .. }) => Some(Form::Since),
            _ => None,
        };
        form.map(|form| Self { dialect, raw: raw.to_owned(), form, axis })
    }

    /// Five bytes, on MySQL their ten digits.
    fn value(&self, from: Micros) -> Fragment {
        let raw = &self.raw;
        let digits = |number: Fragment| Fragment::text("LPAD(HEX(").and(number).and_text("), 10, '0')");
        match (self.dialect, self.form) {
            (_, Form::Instant) => Fragment::text(format!("substr(timestamptz_send({raw}), 4)")),
            (_, Form::Clock) => Fragment::text(format!("substr(timestamp_send({raw}), 4)")),
            (Dialect::Postgres, Form::Number) => {
                Fragment::text(format!("substr(int8send(({raw})::bigint), 4)"))
            }
            (_, Form::Number) => digits(Fragment::text(format!("{raw} & {}", TURN - 1))),
            (_, Form::Since) => digits(
                Fragment::text("TIMESTAMPDIFF(MICROSECOND, ")
                    .and_value(self.axis.bound(from))
                    .and_text(format!(", {raw})")),
            ),
        }
    }

    /// Which values of a slice can be packed. Half dates (`2026-03-00`, `2026-00-10`) cannot; they stand just before the
    /// first of a month, so that most slices hold none, and asking each row for its month takes as long as packing it.
    fn fits(&self, slice: Span) -> Option<String> {
        let raw = &self.raw;
        let holds_half_dates = self.form == Form::Since && self.month(slice.from) != self.month(slice.until);
        holds_half_dates.then(|| format!("(MONTH({raw}) <> 0 AND DAYOFMONTH({raw}) <> 0)"))
    }

    /// The year and month that the column shows at an instant; `None` beyond the calendar.
    fn month(&self, at: Micros) -> Option<(i32, u32)> {
        let shown = chrono::DateTime::from_timestamp_micros(self.shown(at))?;
        Some((shown.year(), shown.month()))
    }

    /// What the column shows at an instant: a clock's microseconds since 1970, or a number.
    fn shown(&self, at: Micros) -> i64 {
        match self.axis.bound(at) {
            Value::Int(number) | Value::Instant(number) | Value::Local(number) => number,
            _ => at.0,
        }
    }

    /// The instant at which the column shows this.
    fn instant(&self, shown: i64) -> Micros {
        match self.axis {
            Axis::Local { offset, .. } => Micros(shown.saturating_sub(offset)),
            Axis::Epoch { unit, .. } => Micros(shown.saturating_mul(unit)),
            Axis::Instant | Axis::Text | Axis::Whole => Micros(shown),
        }
    }

    /// The instant of five bytes that came for a slice.
    fn rebuilt(&self, low: i64, slice: Span) -> Micros {
        let begin = self.shown(slice.from);
        let since = match self.form {
            Form::Since => low,
            Form::Instant | Form::Clock => (low - (begin - EPOCH)).rem_euclid(TURN),
            Form::Number => (low - begin).rem_euclid(TURN),
        };
        self.instant(begin.saturating_add(since))
    }
}

/// How a table's rows are packed.
#[derive(Debug)]
pub struct Packing {
    id: Canonical,
    time: PackedTime,
    /// Which rows can be packed, whatever their times.
    fits: Fragment,
}

/// What a statement in the packed form gave of rows that the same consumers expect.
#[derive(Debug)]
pub struct Group {
    /// How many rows lie in the slice.
    pub rows: usize,
    /// Which consumers expect these events (bits).
    pub expected_by: u64,
    /// Those that fit.
    pub packed: Vec<PackedRow>,
}

impl Packing {
    /// `fits` says which rows do beside what the columns themselves demand.
    pub fn new(id: Canonical, time: PackedTime, fits: Option<Fragment>) -> Self {
        let fits = Fragment::join(fits.into_iter().chain([Fragment::text(id.present())]), " AND ");
        Self { id, time, fits }
    }

    /// Whether a slice is short enough.
    pub fn can_hold(slice: Span) -> bool {
        slice.micros() < TURN
    }

    fn fits(&self, slice: Span) -> Fragment {
        let time = self.time.fits(slice).map(Fragment::text);
        Fragment::join([self.fits.clone()].into_iter().chain(time), " AND ")
    }

    /// What the statement's slots are filled with.
    pub fn slots(&self, slice: Span) -> Vec<(&'static str, Fragment)> {
        let when = || Fragment::text("CASE WHEN ").and(self.fits(slice)).and_text(" THEN ");
        let (half, time) = (half(self.time.dialect, &self.id), self.time.value(slice.from));
        let packed = match self.time.dialect {
            Dialect::Postgres => when().and_text(format!("{half} || ")).and(time).and_text(" END"),
            _ => when().and_text(format!("CONCAT({half}, ")).and(time).and_text(") END"),
        };
        vec![("fitting", when().and_text("1 END")), ("packed", packed)]
    }

    /// The rows of a slice that do not fit.
    pub fn rest(&self, slice: Span) -> Fragment {
        Fragment::text("(CASE WHEN ").and(self.fits(slice)).and_text(" THEN 0 ELSE 1 END = 1)")
    }

    /// Rows with one of these digests.
    pub fn digests(&self, digests: &[u64]) -> Fragment {
        let list = digests.iter().map(|digest| Fragment::value(Value::Text(format!("{digest:016x}"))));
        let half = half(self.time.dialect, &self.id);
        let digits =
            if self.time.dialect == Dialect::Postgres { format!("encode({half}, 'hex')") } else { half };
        Fragment::text(format!("{digits} IN (")).and(Fragment::join(list, ", ")).and_text(")")
    }

    /// Runs a statement whose rows are: rows, fitting rows, packed rows, and of events the two sets of bits. `None` where
    /// the server cut its answer off, or packed what was not asked for: a shorter slice may do.
    pub async fn ask(
        &self,
        relation: &Relation,
        statement: &Statement,
        slice: Span,
    ) -> Result<Option<Vec<Group>>, SourceError> {
        let decode = |row: &dyn Fields| Ok(Some(self.group(row, slice)));
        let rows = relation.db.collect(statement, Some(&relation.name), &decode).await?;
        let groups: Option<Vec<Group>> = rows.found.into_iter().collect();
        if let Some(groups) = &groups {
            relation.db.gave(groups.iter().map(|group| group.rows).sum()).await;
        }
        Ok(groups)
    }

    fn group(&self, row: &dyn Fields, slice: Span) -> Option<Group> {
        let count = |place| row.cell(place).integer().and_then(|it| usize::try_from(it).ok());
        let bits = |place| row.cell(place).integer().and_then(|it| u64::try_from(it).ok()).unwrap_or(0);
        let bytes = match row.cell(2) {
            Cell::Text(bytes) | Cell::Bytes(bytes) => bytes,
            _ => &[],
        };
        let (rows, fitting) = (count(0)?, count(1)?);
        let packed = self.unpacked(bytes, fitting, slice).filter(|_| fitting <= rows)?;
        Some(Group { rows, expected_by: bits(3) | bits(4) << BITS, packed })
    }

    /// Takes a value apart; `None` if it is not exactly so many rows of the slice.
    fn unpacked(&self, bytes: &[u8], fitting: usize, slice: Span) -> Option<Vec<PackedRow>> {
        let (rows, left) = bytes.as_chunks::<ROW>();
        if rows.len() != fitting || !left.is_empty() {
            return None;
        }
        rows.iter().map(|row| self.row(row, slice).filter(|row| slice.contains(row.at))).collect()
    }

    fn row(&self, row: &[u8; ROW], slice: Span) -> Option<PackedRow> {
        let (digest, low) = row.split_at_checked(DIGEST)?;
        let digest = u64::from_be_bytes(digest.try_into().ok()?);
        let low = low.iter().fold(0, |low, byte| low << 8 | i64::from(*byte));
        Some(PackedRow { digest, at: self.time.rebuilt(low, slice) })
    }
}

/// The last eight bytes of a digest, on MySQL their digits.
fn half(dialect: Dialect, id: &Canonical) -> String {
    match dialect {
        Dialect::Postgres => format!("substr({}, 25)", id.digest()),
        Dialect::Sqlite | Dialect::Mysql => format!("RIGHT({}, 16)", id.digest()),
    }
}

/// Rows at exactly these instants.
pub fn at(column: &TimeColumn, instants: &[Micros]) -> Fragment {
    let list = instants.iter().map(|at| Fragment::value(column.axis().bound(*at)));
    Fragment::text(format!("{} IN (", column.raw())).and(Fragment::join(list, ", ")).and_text(")")
}

/// So many of them that few statements differ in their text.
pub fn padded<T: Copy>(mut list: Vec<T>) -> Vec<T> {
    if let Some(last) = list.last().copied() {
        list.resize(list.len().next_power_of_two(), last);
    }
    list
}

/// To each row what was found of it under its digest and instant, if that is exactly one.
pub fn picked<T: Clone>(
    rows: &[PackedRow],
    found: Vec<T>,
    key: impl Fn(&T) -> Option<(u64, Micros)>,
) -> Vec<Option<T>> {
    let mut all: HashMap<(u64, Micros), Vec<T>> = HashMap::new();
    for one in found {
        if let Some(key) = key(&one) {
            all.entry(key).or_default().push(one);
        }
    }
    let one = |row: &PackedRow| match all.get(&(row.digest, row.at)).map(Vec::as_slice) {
        Some([one]) => Some(one.clone()),
        _ => None,
    };
    rows.iter().map(one).collect()
}

#[cfg(test)]
mod tests;
