//! What both kinds of tables need to be added up by their server: digests, buckets, and the proof that the server makes
//! digests as they are made here.

use super::SourceError;
use super::axis::Axis;
use super::cell::{Cell as Value, Fields};
use super::id_column::{Canonical, IdColumn};
use super::relation::{Asked, Relation};
use super::sql::{self, Fragment, Query, Statement, Value as Bound};
use super::time_column::TimeColumn;
use crate::config::Dialect;
use crate::model::Id;
use crate::sketch::{Cell, Digest, Sketch};
use std::sync::Mutex;

/// On the wire a bucket stands above this many bits of a count.
const COUNT_BITS: u32 = 40;

/// Why a column of times does not say exactly which rows lie in a span.
pub fn inexact(column: Option<&TimeColumn>, key: &str) -> Option<String> {
    let exact = column.is_some_and(|column| column.axis() != Axis::Whole && column.axis().margin() == 0);
    (!exact).then(|| format!("`{key}` does not tell the server exactly which rows lie in a span"))
}

/// A number of 64 bits as the server gives it: PostgreSQL's have a sign.
fn number(cell: Value<'_>) -> Option<u64> {
    match cell {
        Value::Integer(number) => {
            u64::try_from(number).ok().or_else(|| i64::try_from(number).ok().map(i64::cast_unsigned))
        }
        _ => None,
    }
}

/// Runs a statement that adds up, and adds its rows to a sketch.
pub async fn added(relation: &Relation, statement: &Statement, buckets: u32) -> Result<Sketch, SourceError> {
    let cells = relation.db.collect(statement, Some(&relation.name), &|row| {
        cell(row).map(Some).ok_or_else(|| "the sums of a bucket could not be read".to_owned())
    });
    let mut sketch = Sketch::new(buckets);
    for (bucket, cell) in cells.await?.found {
        if !sketch.add_cell(bucket, cell) {
            let message = format!("the server gave bucket {bucket} of {buckets}");
            return Err(relation.error(super::error::Failure::other(message)));
        }
    }
    Ok(sketch)
}

fn cell(row: &dyn Fields) -> Option<(u32, Cell)> {
    let packed = number(row.cell(0))?;
    let count = i64::try_from(packed & ((1 << COUNT_BITS) - 1)).ok()?;
    let cell = Cell { count, sum: number(row.cell(1))? };
    Some((u32::try_from(packed >> COUNT_BITS).ok()?, cell))
}

/// The slots of a statement that adds up.
pub fn slots(dialect: Dialect, id: &Canonical, buckets: u32) -> Vec<(&'static str, Fragment)> {
    let mut slots = vec![("mask", mask(buckets))];
    if dialect == Dialect::Postgres {
        slots.extend([
            ("digest", Fragment::text(id.digest())),
            ("word", Fragment::text(word(dialect, "digest"))),
        ]);
    } else {
        slots.push(("word", Fragment::text(word(dialect, &id.digest()))));
    }
    slots
}

fn mask(buckets: u32) -> Fragment {
    Fragment::value(Bound::Int(i64::from(buckets.saturating_sub(1))))
}

/// The rows of these buckets.
pub fn in_buckets(id: &Canonical, dialect: Dialect, buckets: u32, wanted: &[u32]) -> Fragment {
    let bucket = Fragment::text(format!("(({} & ", last(dialect, &id.digest()))).and(mask(buckets));
    if dialect == Dialect::Postgres {
        let list = Bound::Ints(wanted.iter().map(|bucket| i64::from(*bucket)).collect());
        let exact = bucket.and_text(") = ANY(").and_value(list).and_text("))");
        let near = Fragment::text(format!("(substr({}, 31) = ANY(", id.digest()))
            .and_value(Bound::Blobs(endings(buckets, wanted)))
            .and_text("))");
        // A number is made of digits at a greater cost than the digest, so only of the few rows that may be wanted.
        return if buckets <= ENDINGS { near } else { near.and_text(" AND ").and(exact) };
    }
    if wanted.is_empty() {
        return "(1 = 0)".into();
    }
    let list = wanted.iter().map(|bucket| Fragment::value(Bound::Int(i64::from(*bucket))));
    bucket.and_text(") IN (").and(Fragment::join(list, ", ")).and_text("))")
}

/// Two bytes end a digest in so many ways.
const ENDINGS: u32 = 1 << 16;

/// The last two bytes of digests in these buckets; with more buckets than endings, of some in others too.
fn endings(buckets: u32, wanted: &[u32]) -> Vec<Vec<u8>> {
    let step = buckets.clamp(1, ENDINGS) as usize;
    let of = |bucket: &u32| (bucket & (ENDINGS - 1)..ENDINGS).step_by(step);
    let mut all: Vec<u32> = wanted.iter().flat_map(of).collect();
    all.sort_unstable();
    all.dedup();
    all.into_iter().map(|ending| ending.to_be_bytes()[2..].to_vec()).collect()
}

/// What is taken of a digest, as a number. PostgreSQL makes it of single bytes in a third of the time that it takes over
/// digits; a digest that is an expression is made for each of them.
fn word(dialect: Dialect, digest: &str) -> String {
    let byte = |place: u32| format!("(get_byte({digest}, {place})::bigint << {})", 8 * (31 - place));
    match dialect {
        Dialect::Postgres => format!("({})", (24..32).map(byte).collect::<Vec<_>>().join(" | ")),
        Dialect::Sqlite | Dialect::Mysql => format!("CAST(CONV(RIGHT({digest}, 16), 16, 10) AS UNSIGNED)"),
    }
}

/// Its last 32 bits: all that a bucket is chosen by.
fn last(dialect: Dialect, digest: &str) -> String {
    match dialect {
        Dialect::Postgres => format!("('x' || encode(substr({digest}, 29), 'hex'))::bit(32)::bigint"),
        Dialect::Sqlite | Dialect::Mysql => format!("CAST(CONV(RIGHT({digest}, 8), 16, 10) AS UNSIGNED)"),
    }
}

/// Has the server make the digests of known ids of all sorts and of some ids of the table, with the very expressions that
/// it is to use, and holds them against those that are made here. Gives what differs, if anything does.
pub async fn check(relation: &Relation, id: &IdColumn) -> Result<Option<String>, SourceError> {
    let canonical = id.canonical().map_err(|why| relation.error(super::error::Failure::other(why)))?;
    if let Some(wrong) = check_known(relation, id).await? {
        return Ok(Some(wrong));
    }
    let asked = [
        Asked::value("id", id.select()),
        Asked::value("id", word(relation.db.dialect(), &canonical.digest())),
    ];
    let own: Mutex<Option<Id>> = Mutex::new(None);
    let wrong = Mutex::new(None);
    let look = |place: usize, cell: Value<'_>| {
        let (Ok(mut own), Ok(mut wrong)) = (own.lock(), wrong.lock()) else { return Ok(()) };
        match place {
            0 => *own = id.read(cell),
            _ => *wrong = wrong.take().or_else(|| differs(own.as_ref(), number(cell))),
        }
        Ok(())
    };
    relation.sample(&asked, &look).await?;
    Ok(wrong.into_inner().ok().flatten())
}

/// What a server says of an id, if it is not what is said here; a server may leave any id alone.
fn differs(id: Option<&Id>, word: Option<u64>) -> Option<String> {
    let word = word?;
    let same = id.is_some_and(|id| Digest::of(id).word == word);
    (!same).then(|| {
        id.map_or_else(
            || "the server makes a digest of a row without a usable id".to_owned(),
            |id| format!("the server makes another digest of id `{id}` than msgrecon"),
        )
    })
}

async fn check_known(relation: &Relation, id: &IdColumn) -> Result<Option<String>, SourceError> {
    let known = id.golden();
    if known.is_empty() {
        return Ok(None);
    }
    let canonical = id.canonical_of("id").map_err(|why| relation.error(super::error::Failure::other(why)))?;
    let values = known.iter().enumerate().map(|(place, (sql, text))| {
        let (before, after) = sql.split_once("/*value*/").unwrap_or(("", ""));
        Fragment::text(format!("SELECT {place} AS place, {before}"))
            .and_value(Bound::Text((*text).to_owned()))
            .and_text(format!("{after} AS id"))
    });
    let dialect = relation.db.dialect();
    let slots = [
        ("word", Fragment::text(word(dialect, &canonical.digest()))),
        ("values", Fragment::join(values, " UNION ALL ")),
    ];
    let statement = sql::render(Query::SketchCheck, dialect, &slots);
    let statement = statement.map_err(|error| relation.error(error.into()))?;
    let rows = relation.db.collect(&statement, Some(&relation.name), &|row| {
        let place = row.cell(0).integer().and_then(|place| usize::try_from(place).ok());
        Ok(Some((place, number(row.cell(1)))))
    });
    let found = rows.await?.found;
    if found.len() != known.len() {
        return Ok(Some("the server leaves out ids that were given to it".to_owned()));
    }
    let wrong = found.into_iter().find_map(|(place, word)| {
        let (_, text) = known.get(place?)?;
        match word {
            Some(word) => differs(Some(&Id::from_text(text)), Some(word)),
            None => Some(format!("the server makes no digest of id `{text}`")),
        }
    });
    Ok(wrong)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn endings_are_those_of_the_buckets(
            words in proptest::collection::vec(any::<u64>(), 1..200),
            bits in 10..=20_u32,
            share in 1..8_usize,
        ) {
            let buckets = 1 << bits;
            let wanted: Vec<u32> =
                words.iter().step_by(share).map(|word| Digest { word: *word }.bucket(buckets)).collect();
            let endings = endings(buckets, &wanted);
            for word in words {
                let inside = endings.iter().any(|ending| word.to_be_bytes()[6..] == *ending);
                let is_wanted = wanted.contains(&Digest { word }.bucket(buckets));
                let right = if buckets <= ENDINGS { inside == is_wanted } else { inside || !is_wanted };
                prop_assert!(right, "{word:x} among {buckets}");
            }
        }
    }
}
