//! SQL text: the only module that makes it, and the only one that vouches for it to the driver.
//!
//! Statements live in `queries/<dialect>/<name>.sql` with slots such as `/*:table*/`. [`render`] fills the slots with
//! [`Fragment`]s: text that this module quoted or that stands in the configuration, and values, which are always
//! bound. A slot without a fragment and a fragment without a slot are errors.

use crate::config::{Dialect, Expression, Table};
use sqlx::AssertSqlSafe;
use std::fmt::Write as _;

/// A value to bind.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// A signed number.
    Int(i64),
    /// A number beyond the signed range.
    Uint(u64),
    /// Text.
    Text(String),
    /// Binary.
    Bytes(Vec<u8>),
    /// Microseconds since 1970 in UTC.
    Instant(i64),
    /// Microseconds since 1970 on a wall clock.
    Local(i64),
    /// An array of numbers (PostgreSQL).
    Ints(Vec<i64>),
    /// An array of texts (PostgreSQL).
    Texts(Vec<String>),
    /// An array of binaries (PostgreSQL).
    Blobs(Vec<Vec<u8>>),
}

#[derive(Clone, Debug, PartialEq)]
enum Piece {
    Text(String),
    Value(Value),
}

/// A part of a statement: text with values in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fragment(Vec<Piece>);

impl Fragment {
    /// Text, as it stands.
    pub fn text(text: impl Into<String>) -> Self {
        Self(vec![Piece::Text(text.into())])
    }

    /// A value to bind.
    pub fn value(value: Value) -> Self {
        Self(vec![Piece::Value(value)])
    }

    /// A condition of the configuration, in parentheses that a comment at its end cannot swallow.
    pub fn condition(condition: &str) -> Self {
        Self::text(format!("(\n{condition}\n)"))
    }

    /// This, then text.
    #[must_use]
    pub fn and_text(mut self, text: impl Into<String>) -> Self {
        self.0.push(Piece::Text(text.into()));
        self
    }

    /// This, then a value.
    #[must_use]
    pub fn and_value(mut self, value: Value) -> Self {
        self.0.push(Piece::Value(value));
        self
    }

    /// This, then another.
    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.extend(other.0);
        self
    }

    /// Several, with text between.
    pub fn join(parts: impl IntoIterator<Item = Self>, between: &str) -> Self {
        let mut whole = Self::default();
        for (place, part) in parts.into_iter().enumerate() {
            if place > 0 {
                whole = whole.and_text(between);
            }
            whole = whole.and(part);
        }
        whole
    }
}

impl From<&str> for Fragment {
    fn from(text: &str) -> Self {
        Self::text(text)
    }
}

/// A statement that is ready to run.
#[derive(Clone, Debug, PartialEq)]
pub struct Statement {
    /// The name of its file.
    pub name: &'static str,
    dialect: Dialect,
    body: Fragment,
    long: bool,
}

impl Statement {
    /// A query of the configuration, as it stands.
    pub fn own(name: &'static str, dialect: Dialect, text: &str) -> Self {
        Self { name, dialect, body: Fragment::text(text), long: false }
    }

    /// The rows of all of these, which have the same columns; `None` of none.
    pub fn union(statements: &[Self]) -> Option<Self> {
        let first = statements.first()?;
        let bodies = statements.iter().map(Self::fragment);
        let body = Fragment::join(bodies, "\nUNION ALL\n");
        Some(Self {
            name: first.name,
            dialect: first.dialect,
            body,
            long: statements.iter().any(|it| it.long),
        })
    }

    /// The same of statements that end with a limit of their own.
    pub fn union_of_parts(statements: &[Self]) -> Option<Self> {
        let part = |it: &Self| {
            let body = Fragment::text("(\n").and(it.fragment()).and_text("\n)");
            Self { name: it.name, dialect: it.dialect, body, long: it.long }
        };
        Self::union(&statements.iter().map(part).collect::<Vec<_>>())
    }

    /// Whose words these are.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether its answer takes so much memory that the session should have room for it.
    pub fn is_long(&self) -> bool {
        self.long
    }

    /// It as a part of another.
    pub fn fragment(&self) -> Fragment {
        self.body.clone()
    }

    /// The text with placeholders, vouched for.
    pub fn sql(&self) -> AssertSqlSafe<String> {
        let mut count = 0;
        AssertSqlSafe(self.written(|_, text| {
            count += 1;
            match self.dialect {
                Dialect::Postgres => _ = write!(text, "${count}"),
                Dialect::Sqlite | Dialect::Mysql => text.push('?'),
            }
        }))
    }

    /// The values, in the order of the placeholders.
    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.body.0.iter().filter_map(|piece| match piece {
            Piece::Value(value) => Some(value),
            Piece::Text(_) => None,
        })
    }

    /// The text with the values written into it, for a person to read or to try.
    pub fn shown(&self) -> String {
        self.written(|value, text| text.push_str(&literal(self.dialect, value)))
    }

    fn written(&self, mut value: impl FnMut(&Value, &mut String)) -> String {
        let mut text = String::new();
        for piece in &self.body.0 {
            match piece {
                Piece::Text(part) => text.push_str(part),
                Piece::Value(bound) => value(bound, &mut text),
            }
        }
        text
    }
}

/// Why a statement could not be made: a mistake in this program, which a test finds.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum RenderError {
    /// The file has a slot that nothing fills.
    #[error("query {0}: nothing fills the slot {1}")]
    Unfilled(&'static str, String),
    /// A fragment has no slot.
    #[error("query {0}: no slot takes {1}")]
    Unused(&'static str, String),
    /// A slot does not end.
    #[error("query {0}: a slot does not end")]
    Open(&'static str),
}

const SLOT: &str = "/*:";
const SLOT_END: &str = "*/";

/// Fills the slots of a query.
pub fn render(query: Query, dialect: Dialect, slots: &[(&str, Fragment)]) -> Result<Statement, RenderError> {
    let name = query.name();
    let template = without_header(query.template(dialect));
    let mut body = Fragment::text(format!("/* msgrecon {name} */ "));
    let mut used = vec![false; slots.len()];
    let mut rest = template;
    while let Some((before, after)) = rest.split_once(SLOT) {
        let (slot, after) = after.split_once(SLOT_END).ok_or(RenderError::Open(name))?;
        let place = slots.iter().position(|(known, _)| *known == slot);
        let place = place.ok_or_else(|| RenderError::Unfilled(name, slot.to_owned()))?;
        used[place] = true;
        body = body.and_text(before).and(slots[place].1.clone());
        rest = after;
    }
    if let Some(place) = used.iter().position(|used| !used) {
        return Err(RenderError::Unused(name, slots[place].0.to_owned()));
    }
    let body = body.and_text(rest.trim_end());
    let long = dialect == Dialect::Postgres && query.puts_together();
    Ok(Statement { name, dialect, body, long })
}

/// The comment at the head of a file is for its readers; the server is spared it.
fn without_header(template: &str) -> &str {
    let mut rest = template;
    while rest.starts_with("--") {
        rest = rest.split_once('\n').map_or("", |(_, after)| after);
    }
    rest.trim_start()
}

/// The only place where an identifier is quoted. Backticks on SQLite too: there a double-quoted name that does not
/// exist turns into text instead of an error.
pub fn quote(dialect: Dialect, name: &str) -> String {
    let mark = match dialect {
        Dialect::Postgres => '"',
        Dialect::Sqlite | Dialect::Mysql => '`',
    };
    let mut quoted = String::with_capacity(name.len() + 2);
    quoted.push(mark);
    for letter in name.chars() {
        quoted.push(letter);
        if letter == mark {
            quoted.push(mark);
        }
    }
    quoted.push(mark);
    quoted
}

/// A table's name, part by part.
pub fn quote_table(dialect: Dialect, table: &Table) -> String {
    table.0.iter().map(|part| quote(dialect, part)).collect::<Vec<_>>().join(".")
}

/// A column's name or an expression.
pub fn expression(dialect: Dialect, expression: &Expression) -> String {
    match expression {
        Expression::Column(name) => quote(dialect, name),
        Expression::Sql(sql) => format!("(\n{sql}\n)"),
    }
}

fn literal(dialect: Dialect, value: &Value) -> String {
    let text = |text: &str| format!("'{}'", text.replace('\'', "''"));
    let hex = |bytes: &[u8]| bytes.iter().fold(String::new(), |hex, byte| hex + &format!("{byte:02x}"));
    let blob = |bytes: &[u8]| match dialect {
        Dialect::Postgres => format!("'\\x{}'::bytea", hex(bytes)),
        Dialect::Sqlite | Dialect::Mysql => format!("X'{}'", hex(bytes)),
    };
    let list = |items: Vec<String>| format!("ARRAY[{}]", items.join(", "));
    match value {
        Value::Int(number) => number.to_string(),
        Value::Uint(number) => number.to_string(),
        Value::Text(it) => text(it),
        Value::Bytes(bytes) => blob(bytes),
        Value::Instant(at) if dialect == Dialect::Postgres => text(&(clock(*at) + "+00")),
        Value::Instant(at) | Value::Local(at) => text(&clock(*at)),
        Value::Ints(numbers) => list(numbers.iter().map(ToString::to_string).collect()),
        Value::Texts(texts) => list(texts.iter().map(|it| text(it)).collect()),
        Value::Blobs(blobs) => list(blobs.iter().map(|bytes| blob(bytes)).collect()),
    }
}

/// `YYYY-MM-DD HH:MM:SS.ffffff` without zeros at its end: text of any precision that means this instant or a later one
/// sorts no earlier.
pub fn clock(micros: i64) -> String {
    let text = crate::model::Micros(micros).to_utc().format("%Y-%m-%d %H:%M:%S%.6f").to_string();
    text.trim_end_matches('0')
        .strip_suffix('.')
        .map_or_else(|| text.trim_end_matches('0').to_owned(), str::to_owned)
}

macro_rules! queries {
    ($($query:ident = $file:literal,)*) => {
        /// The questions that are put to a source, one file for each in each dialect.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        pub enum Query { $(#[doc = concat!("`queries/*/", $file, ".sql`")] $query,)* }

        impl Query {
            #[cfg(test)]
            const ALL: &[Self] = &[$(Self::$query,)*];

            /// Whether it puts many rows together.
            fn puts_together(self) -> bool {
                matches!(self, Self::EventsShort | Self::EventsPacked | Self::ReceiptsShort | Self::ReceiptsPacked)
            }

            /// The name of its file.
            pub fn name(self) -> &'static str {
                match self { $(Self::$query => $file,)* }
            }

            fn template(self, dialect: Dialect) -> &'static str {
                match (self, dialect) {$(
                    (Self::$query, Dialect::Sqlite) =>
                        include_str!(concat!("../../queries/sqlite/", $file, ".sql")),
                    (Self::$query, Dialect::Postgres) =>
                        include_str!(concat!("../../queries/postgres/", $file, ".sql")),
                    (Self::$query, Dialect::Mysql) =>
                        include_str!(concat!("../../queries/mysql/", $file, ".sql")),
                )*}
            }
        }
    };
}

queries! {
    SessionLimits = "session_limits",
    SessionBegin = "session_begin",
    SessionCheck = "session_check",
    MakeRoom = "make_room",
    Probe = "probe",
    ProbeLink = "probe_link",
    Columns = "columns",
    Indexes = "indexes",
    HalfDates = "half_dates",
    EventsAcked = "events_acked",
    EventsShort = "events_short",
    EventsUnacked = "events_unacked",
    EventsUndated = "events_undated",
    EventsWhole = "events_whole",
    EventsById = "events_by_id",
    EventsBacklog = "events_backlog",
    EventsCounts = "events_counts",
    EventsSketch = "events_sketch",
    EventsPicked = "events_picked",
    EventsPacked = "events_packed",
    EventsAt = "events_at",
    Receipts = "receipts",
    ReceiptsShort = "receipts_short",
    ReceiptsUndated = "receipts_undated",
    ReceiptsById = "receipts_by_id",
    ReceiptsOldest = "receipts_oldest",
    ReceiptsNextConsumer = "receipts_next_consumer",
    ReceiptsByConsumer = "receipts_by_consumer",
    ReceiptsCount = "receipts_count",
    ReceiptsSketch = "receipts_sketch",
    ReceiptsPicked = "receipts_picked",
    ReceiptsPacked = "receipts_packed",
    ReceiptsAt = "receipts_at",
    SketchCheck = "sketch_check",
    DeadLetters = "dead_letters",
    DeadLettersById = "dead_letters_by_id",
    GuardRunning = "guard_running",
    GuardLag = "guard_lag",
    GuardRows = "guard_rows",
    GuardPlan = "guard_plan",
}

#[cfg(test)]
mod tests;
