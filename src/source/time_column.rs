//! A time column: how its values become stamps, and how spans become conditions on it.

use super::axis::{self, Axis};
use super::cell::{Cell, ColumnType, Kind};
use super::decode::time::{TimeReader, Undeclared};
use super::error::{Failure, SourceError};
use super::packing::PackedTime;
use super::relation::{Affinity, Asked, Relation};
use super::short::ShortTime;
use super::sql::{self, Fragment, Query};
use crate::config::{self, Dialect, Expression, TimeFormat};
use crate::model::event::Stamp;
use crate::model::time::DAY;
use crate::model::{Micros, Span};
use std::sync::atomic::{AtomicBool, Ordering};

/// A time column that was probed.
#[derive(Debug)]
pub struct TimeColumn {
    key: String,
    dialect: Dialect,
    kind: Kind,
    /// In the catalogue; empty where it is no column of the table.
    declared: String,
    column: Option<String>,
    raw: String,
    axis: Axis,
    reader: TimeReader,
    usable: Span,
    /// It holds half dates that are years old.
    old_half_dates: bool,
}

impl TimeColumn {
    /// A column of the given type; an error where its values cannot be read as the configuration says.
    pub async fn open(
        relation: &Relation,
        key: &str,
        config: &config::TimeColumn,
        found: &ColumnType,
        as_of: Micros,
    ) -> Result<Self, SourceError> {
        let dialect = relation.db.dialect();
        let zone = config.time_zone.or(relation.db.time_zone());
        let raw = sql::expression(dialect, &config.expression);
        if let Some(wrong) = misfit(found.kind, &config.format, zone.is_some()) {
            let message = format!("`{key}` is {raw} of type {}: {wrong}", found.name);
            return Err(relation.error(Failure::configuration(message)));
        }
        let usable = usable(as_of);
        let reader = TimeReader::new(&config.format, zone, usable).ok_or_else(|| {
            relation.error(Failure::configuration(format!("`{key}`: the pattern cannot be understood")))
        })?;
        let column = match &config.expression {
            Expression::Column(column) => Some(column.clone()),
            Expression::Sql(_) => None,
        };
        let mut opened = Self {
            key: key.to_owned(),
            dialect,
            kind: found.kind,
            declared: relation.declared(&config.expression).to_owned(),
            column,
            raw,
            axis: Axis::Whole,
            reader,
            usable,
            old_half_dates: false,
        };
        let numbers =
            opened.looks_numeric(relation).await? && relation.affinity(&config.expression) != Affinity::Text;
        opened.axis = Axis::of(found.kind, &config.format, zone, numbers, as_of);
        opened.old_half_dates = opened.holds_old_half_dates(relation).await?;
        Ok(opened)
    }

    /// Looks at some rows, so that an undeclared zone or unit is found before anything is read.
    async fn looks_numeric(&self, relation: &Relation) -> Result<bool, SourceError> {
        if !matches!(self.kind, Kind::Dynamic | Kind::Text | Kind::Padded | Kind::Other) {
            return Ok(true);
        }
        let numeric = AtomicBool::new(true);
        let asked = [Asked::value(&self.key, self.select())];
        relation
            .sample(&asked, &|_, cell| {
                if let Cell::Text(_) | Cell::Bytes(_) = cell {
                    numeric.store(false, Ordering::Relaxed);
                }
                self.read(cell).map(|_| ())
            })
            .await?;
        Ok(numeric.into_inner())
    }

    /// Asks twice, since hardly any table has rows so old, and looking between all their months takes a while.
    async fn holds_old_half_dates(&self, relation: &Relation) -> Result<bool, SourceError> {
        let indexed = self.column().is_some_and(|column| relation.leads(column));
        let old = self.axis.old(&self.raw, self.dialect, self.usable).filter(|_| indexed);
        let Some(old) = old else { return Ok(false) };
        let any = async |spans| {
            let statement = relation.statement(Query::HalfDates, &[("spans", spans)])?;
            let rows = relation.db.collect(&statement, Some(&relation.name), &|_| Ok(Some(()))).await?;
            Ok(!rows.found.is_empty())
        };
        Ok(any(old).await? && any(Axis::old_half_dates(&self.raw, self.usable)).await?)
    }

    /// The column's name, where it is one.
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// What is compared.
    pub fn raw(&self) -> &str {
        &self.raw
    }

    /// Whether its times are text.
    pub fn is_text(&self) -> bool {
        self.axis == Axis::Text
    }

    /// What to select.
    pub fn select(&self) -> String {
        match (self.dialect, self.kind) {
            (Dialect::Postgres, Kind::Decimal | Kind::Other) => format!("({})::text", self.raw),
            _ => self.raw.clone(),
        }
    }

    /// How its values come in the short form, where they can.
    pub fn short(&self) -> Option<ShortTime> {
        ShortTime::new(self.dialect, &self.raw, (self.kind, &self.declared), self.axis, &self.reader)
    }

    /// How its values are packed; why not, where they cannot.
    pub fn packed(&self) -> Result<PackedTime, String> {
        PackedTime::of(self.dialect, &self.raw, self.kind, self.axis)
            .ok_or_else(|| format!("times of `{}` cannot be packed: its type has no such form", self.key))
    }

    /// How its order relates to time.
    pub fn axis(&self) -> Axis {
        self.axis
    }

    /// The stamp in a row; an error where the configuration does not say enough to read it.
    pub fn read(&self, cell: Cell<'_>) -> Result<Stamp, String> {
        self.reader.stamp(cell).map_err(|undeclared| {
            let value = cell.text().map(|text| format!(" ({text})")).unwrap_or_default();
            let Self { key, raw, .. } = self;
            match undeclared {
                Undeclared::Zone => format!(
                    "`{key}`: {raw} holds a time without a zone{value}; set `time_zone` for the column or the database"
                ),
                Undeclared::Unit => format!(
                    "`{key}`: {raw} holds a number{value}; say what it counts: `format = \"epoch-s\"`, `epoch-ms` or `epoch-us`"
                ),
            }
        })
    }

    /// Rows whose place is in the span.
    pub fn within(&self, span: Span) -> Fragment {
        let from = span.from.max(self.usable.from);
        let until = span.until.min(self.usable.until);
        if from >= until {
            return "(1 = 0)".into();
        }
        self.axis.within(&self.raw, Span::new(from, until))
    }

    /// Rows that may hold a usable time.
    pub fn usable(&self) -> Fragment {
        self.axis.usable(&self.raw, self.dialect, self.usable)
    }

    /// What rows [`Self::within`] a span have to hold beyond that to be usable.
    pub fn usable_within(&self, span: Span) -> Fragment {
        self.axis.usable_within(&self.raw, self.dialect, self.usable, span)
    }

    /// Rows that may say "not yet".
    pub fn not_yet(&self) -> Fragment {
        self.axis.not_yet(&self.raw, self.usable)
    }

    /// Rows that hold none, as ranges that an index serves.
    pub fn unusable_by_index(&self) -> Fragment {
        self.axis.unusable_by_index(&self.raw, self.dialect, self.usable, self.old_half_dates)
    }

    /// Rows that hold none.
    pub fn unusable(&self) -> Fragment {
        self.axis.unusable(&self.raw, self.dialect, self.usable)
    }
}

/// What counts as a real time: not before 1971, and not a day or more after the as-of.
pub fn usable(as_of: Micros) -> Span {
    Span::new(Micros::EARLIEST_USABLE, as_of.plus(DAY))
}

/// Why a column of this kind cannot be read under this format.
fn misfit(kind: Kind, format: &TimeFormat, zone: bool) -> Option<&'static str> {
    let number = axis::unit(format) > 0;
    match (kind, format) {
        (Kind::Date, _) => Some("a date without a time of day cannot be put into a window"),
        (Kind::Structured | Kind::Uuid | Kind::Bool, _) => Some("that is no time"),
        (Kind::Instant | Kind::Local, TimeFormat::Pattern(_)) => {
            Some("leave out `format`: the server has a type for it")
        }
        (Kind::Instant | Kind::Local, _) if number => {
            Some("leave out `format`: the server has a type for it")
        }
        (Kind::Local, _) if !zone => Some("it has no zone; set `time_zone` for the column or the database"),
        (Kind::Integer(..) | Kind::Decimal | Kind::Real(_) | Kind::Bits, _) if !number => {
            Some("say what the number counts: `format = \"epoch-s\"`, `epoch-ms` or `epoch-us`")
        }
        (Kind::Text | Kind::Padded | Kind::Bytes | Kind::Other, TimeFormat::Native) => {
            Some("say how the text is written: `format = \"iso8601\"`, an epoch format or a pattern")
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_does_not_fit_is_refused_with_the_next_step() {
        let pattern = TimeFormat::Pattern("%Y".to_owned());
        let cases = [
            (Kind::Local, TimeFormat::Native, true, None),
            (Kind::Local, TimeFormat::Native, false, Some("time_zone")),
            (Kind::Instant, TimeFormat::Native, false, None),
            (Kind::Instant, TimeFormat::EpochMillis, false, Some("leave out")),
            (Kind::Date, TimeFormat::Native, true, Some("time of day")),
            (Kind::Integer(8, true), TimeFormat::Native, true, Some("epoch-ms")),
            (Kind::Integer(8, true), TimeFormat::EpochMillis, false, None),
            (Kind::Text, TimeFormat::Native, true, Some("iso8601")),
            (Kind::Text, pattern, true, None),
            (Kind::Dynamic, TimeFormat::Native, false, None),
        ];
        for (kind, format, zone, expected) in cases {
            let wrong = misfit(kind, &format, zone);
            assert_eq!(wrong.is_some(), expected.is_some(), "{kind:?} {format:?}");
            assert!(wrong.unwrap_or("").contains(expected.unwrap_or("")), "{wrong:?}");
        }
    }
}
