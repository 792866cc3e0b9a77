//! An id column: how its values become ids, and how ids become values to look for.

mod canonical;

pub use canonical::Canonical;

use super::cell::{Cell, ColumnType, Kind};
use super::decode;
use super::decode::id::{spellings, to_stored};
use super::error::Failure;
use super::relation::{Affinity, Relation};
use super::short::ShortId;
use super::sql::{self, Fragment, Value};
use crate::config::{self, Dialect, Expression, IdEncoding};
use crate::model::{Id, id::uuid_text};

/// An id column that was probed.
#[derive(Debug)]
pub struct IdColumn {
    dialect: Dialect,
    encoding: IdEncoding,
    kind: Kind,
    type_name: String,
    affinity: Affinity,
    /// Known to be kept as bytes or as text in UTF-8 (MySQL).
    utf8: bool,
    column: Option<String>,
    raw: String,
}

impl IdColumn {
    /// A column of the given type; an error where its values cannot be ids.
    pub fn new(
        relation: &Relation,
        key: &str,
        config: &config::IdColumn,
        found: &ColumnType,
    ) -> Result<Self, Failure> {
        let declared = relation.declared(&config.expression);
        // MariaDB keeps JSON as text in a binary collation, which the driver cannot tell from binary.
        let structured = found.kind == Kind::Structured
            || declared.eq_ignore_ascii_case("json") && matches!(found.kind, Kind::Text | Kind::Bytes);
        let raw = sql::expression(relation.db.dialect(), &config.expression);
        let wrong = match found.kind {
            _ if structured && relation.db.dialect() != Dialect::Sqlite => {
                Some("an id has to be a single value")
            }
            Kind::Real(_) => Some("floating-point numbers are not exact enough for ids"),
            Kind::Date | Kind::Instant | Kind::Local | Kind::Bool => Some("that is no id"),
            _ => None,
        };
        if let Some(wrong) = wrong {
            let type_name = if structured && !declared.is_empty() { declared } else { &found.name };
            return Err(Failure::configuration(format!("`{key}` is {raw} of type {type_name}: {wrong}")));
        }
        Ok(Self {
            dialect: relation.db.dialect(),
            encoding: config.encoding,
            kind: found.kind,
            type_name: found.name.clone(),
            affinity: relation.affinity(&config.expression),
            utf8: relation.holds_utf8(&config.expression),
            column: match &config.expression {
                Expression::Column(column) => Some(column.clone()),
                Expression::Sql(_) => None,
            },
            raw,
        })
    }

    /// The column's name, where it is one.
    pub fn column(&self) -> Option<&str> {
        self.column.as_deref()
    }

    /// What to select.
    pub fn select(&self) -> String {
        match (self.dialect, self.kind) {
            (Dialect::Postgres, Kind::Decimal | Kind::Other) => format!("({})::text", self.raw),
            _ => self.raw.clone(),
        }
    }

    /// How its values come in the short form, where they can.
    pub fn short(&self) -> Option<ShortId> {
        let short = ShortId::new(self.dialect, &self.raw, self.kind, self.encoding)?;
        Some(short.of_affinity(self.affinity))
    }

    /// The id in a row.
    pub fn read(&self, cell: Cell<'_>) -> Option<Id> {
        decode::id::id(cell, self.encoding)
    }

    /// Whether two values of the column are always two ids.
    pub fn keeps_distinct(&self) -> bool {
        match (self.encoding, self.kind) {
            (IdEncoding::Text, Kind::Dynamic) => self.affinity != Affinity::None,
            (IdEncoding::Integer, kind) => matches!(kind, Kind::Integer(..) | Kind::Bits | Kind::Decimal),
            (IdEncoding::Uuid, kind) => kind == Kind::Uuid,
            _ => true,
        }
    }

    /// Whether the database may have changed ids when they were stored.
    pub fn loses_zeros(&self) -> bool {
        self.encoding == IdEncoding::Text && self.kind == Kind::Dynamic && self.affinity == Affinity::Number
    }

    /// Whether ids can be turned into the column's values at all, so that an index may serve.
    pub fn can_look_up(&self) -> bool {
        let text = matches!(self.kind, Kind::Text | Kind::Padded | Kind::Bytes | Kind::Other);
        match self.encoding {
            IdEncoding::Integer => !text && (self.kind != Kind::Dynamic || self.affinity == Affinity::Number),
            IdEncoding::Text | IdEncoding::Uuid => true,
            _ => matches!(self.kind, Kind::Bytes | Kind::Uuid | Kind::Dynamic),
        }
    }

    /// Whether one id is looked for in several spellings.
    pub fn has_spellings(&self) -> bool {
        self.encoding == IdEncoding::Uuid || self.kind == Kind::Dynamic
    }

    /// Whether an index on the column would serve a look-up.
    pub fn index_serves(&self) -> bool {
        let cast =
            self.dialect == Dialect::Postgres && self.kind == Kind::Other && self.type_name != "citext";
        self.can_look_up() && self.column.is_some() && !cast
    }

    /// The condition that finds the rows of these ids, and perhaps others; `None` where the column can hold none.
    pub fn matches(&self, ids: &[Id]) -> Option<Fragment> {
        let mut values: Vec<Value> = ids.iter().flat_map(|id| self.values(id)).collect();
        if values.is_empty() {
            return None;
        }
        if self.dialect == Dialect::Postgres {
            return Some(self.any_of(values));
        }
        let last = values[values.len() - 1].clone();
        values.resize(padded(values.len()), last);
        let places = values.into_iter().map(|value| self.placeholder(value));
        Some(Fragment::text(format!("({} IN (", self.raw)).and(Fragment::join(places, ", ")).and_text("))"))
    }

    fn placeholder(&self, value: Value) -> Fragment {
        let decimal = self.dialect == Dialect::Mysql && self.kind == Kind::Decimal;
        match value {
            value @ Value::Text(_) if decimal => {
                Fragment::text("CAST(").and_value(value).and_text(" AS DECIMAL(65, 30))")
            }
            value => Fragment::value(value),
        }
    }

    fn any_of(&self, values: Vec<Value>) -> Fragment {
        let (mut numbers, mut texts, mut blobs) = (Vec::new(), Vec::new(), Vec::new());
        for value in values {
            match value {
                Value::Int(number) => numbers.push(number),
                Value::Text(text) => texts.push(text),
                Value::Bytes(bytes) => blobs.push(bytes),
                _ => {}
            }
        }
        let list = match self.kind {
            Kind::Integer(..) => Value::Ints(numbers),
            Kind::Bytes => Value::Blobs(blobs),
            _ => Value::Texts(texts),
        };
        let (left, cast) = match self.kind {
            Kind::Padded => ("", "::bpchar[]"),
            Kind::Uuid => ("", "::uuid[]"),
            Kind::Decimal => ("", "::numeric[]"),
            Kind::Other if self.type_name == "citext" => ("", "::citext[]"),
            Kind::Other => ("::text", ""),
            _ => ("", ""),
        };
        Fragment::text(format!("({}{left} = ANY(", self.raw)).and_value(list).and_text(format!("{cast}))"))
    }

    /// The values that stand for an id in this column.
    fn values(&self, id: &Id) -> Vec<Value> {
        if let IdEncoding::UuidBytes | IdEncoding::UuidBytesSwapped | IdEncoding::UuidBytesLe = self.encoding
        {
            let stored = id.as_uuid().map(|uuid| to_stored(uuid, self.encoding));
            let value = stored.map(|bytes| match self.kind {
                Kind::Uuid => Value::Text(uuid_text(&bytes)),
                _ => Value::Bytes(bytes.to_vec()),
            });
            return value.into_iter().collect();
        }
        match self.kind {
            Kind::Integer(..) | Kind::Bits => self.number(id).into_iter().collect(),
            Kind::Decimal => {
                id.to_text().filter(|text| is_decimal(text)).map(Value::Text).into_iter().collect()
            }
            Kind::Uuid => id.as_uuid().map(|uuid| Value::Text(uuid_text(&uuid))).into_iter().collect(),
            Kind::Dynamic => self.dynamic(id),
            _ => self.written(id).into_iter().filter_map(|bytes| self.text(bytes)).collect(),
        }
    }

    fn number(&self, id: &Id) -> Option<Value> {
        let number: i128 = id.to_text()?.parse().ok()?;
        match (i64::try_from(number), u64::try_from(number)) {
            (Ok(number), _) => Some(Value::Int(number)),
            (_, Ok(number)) if self.dialect == Dialect::Mysql => Some(Value::Uint(number)),
            _ => None,
        }
    }

    /// A value of SQLite may be text, a number or binary, whatever the column's type says.
    fn dynamic(&self, id: &Id) -> Vec<Value> {
        let mut values: Vec<Value> = self.number(id).into_iter().collect();
        for bytes in self.written(id) {
            if self.affinity == Affinity::None {
                values.push(Value::Bytes(bytes.clone()));
            }
            values.extend(String::from_utf8(bytes).map(Value::Text));
        }
        values
    }

    fn written(&self, id: &Id) -> Vec<Vec<u8>> {
        match (self.encoding, id.as_uuid()) {
            (IdEncoding::Uuid, Some(uuid)) => spellings(uuid).into_iter().map(String::into_bytes).collect(),
            _ => vec![id.to_bytes()],
        }
    }

    /// Text where the server may hold it as text; on MySQL also for binary columns, since the driver cannot tell
    /// them from text in a binary collation, whose index binary values would not use.
    fn text(&self, bytes: Vec<u8>) -> Option<Value> {
        match (self.dialect, self.kind, String::from_utf8(bytes)) {
            (Dialect::Postgres, Kind::Bytes, Ok(text)) => Some(Value::Bytes(text.into_bytes())),
            (_, Kind::Bytes, Err(error)) => Some(Value::Bytes(error.into_bytes())),
            (Dialect::Postgres, _, Ok(text)) if text.contains('\0') => None,
            (_, _, Ok(text)) => Some(Value::Text(text)),
            (_, _, Err(_)) => None,
        }
    }
}

fn is_decimal(text: &str) -> bool {
    let digits = text.strip_prefix('-').unwrap_or(text);
    let plain = digits.bytes().all(|byte| byte.is_ascii_digit() || byte == b'.');
    plain
        && digits.len() <= 65
        && digits.bytes().filter(|byte| *byte == b'.').count() <= 1
        && digits.bytes().any(|byte| byte.is_ascii_digit())
}

/// Lists have few lengths, so that prepared statements are used again.
fn padded(count: usize) -> usize {
    const LENGTHS: [usize; 5] = [1, 16, 128, 1_024, 2_048];
    LENGTHS.into_iter().find(|length| *length >= count).unwrap_or_else(|| count.next_multiple_of(4_096))
}

#[cfg(test)]
pub mod tests;
