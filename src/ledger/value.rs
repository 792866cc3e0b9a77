//! What goes into statements and comes out of rows.

use sqlx::Row as _;

/// A value to bind. Nothing is typed too, since servers want to know what kind of nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Value {
    /// A number, an instant, or yes and no.
    Int(Option<i64>),
    /// Text.
    Text(Option<String>),
    /// Bytes.
    Bytes(Vec<u8>),
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Int(Some(number))
    }
}

impl From<Option<i64>> for Value {
    fn from(number: Option<i64>) -> Self {
        Self::Int(number)
    }
}

impl From<bool> for Value {
    fn from(yes: bool) -> Self {
        Self::Int(Some(yes.into()))
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(Some(text.to_owned()))
    }
}

impl From<String> for Value {
    fn from(text: String) -> Self {
        Self::Text(Some(text))
    }
}

impl From<Option<String>> for Value {
    fn from(text: Option<String>) -> Self {
        Self::Text(text)
    }
}

impl From<Vec<u8>> for Value {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(bytes)
    }
}

impl From<crate::model::Micros> for Value {
    fn from(at: crate::model::Micros) -> Self {
        Self::Int(Some(at.0))
    }
}

impl From<Option<crate::model::Micros>> for Value {
    fn from(at: Option<crate::model::Micros>) -> Self {
        Self::Int(at.map(|at| at.0))
    }
}

/// A driver's row, read by position; what is not of the asked type is nothing.
pub enum Row {
    /// SQLite's.
    Sqlite(sqlx::sqlite::SqliteRow),
    /// PostgreSQL's.
    Postgres(sqlx::postgres::PgRow),
    /// MySQL's.
    Mysql(sqlx::mysql::MySqlRow),
}

macro_rules! cell {
    ($row:expr, $index:expr, $kind:ty) => {
        match $row {
            Row::Sqlite(row) => row.try_get_unchecked::<Option<$kind>, _>($index).ok().flatten(),
            Row::Postgres(row) => row.try_get::<Option<$kind>, _>($index).ok().flatten(),
            Row::Mysql(row) => row.try_get_unchecked::<Option<$kind>, _>($index).ok().flatten(),
        }
    };
}

impl Row {
    /// A number. PostgreSQL gives short ones of what is computed.
    pub fn int(&self, index: usize) -> Option<i64> {
        match self {
            Self::Postgres(row) => {
                let long = row.try_get::<Option<i64>, _>(index);
                long.or_else(|_| row.try_get::<Option<i32>, _>(index).map(|short| short.map(i64::from)))
                    .ok()
                    .flatten()
            }
            _ => cell!(self, index, i64),
        }
    }

    /// A number that every row has.
    pub fn number(&self, index: usize) -> i64 {
        self.int(index).unwrap_or_default()
    }

    /// A count.
    pub fn count(&self, index: usize) -> u64 {
        u64::try_from(self.number(index)).unwrap_or_default()
    }

    /// An instant.
    pub fn at(&self, index: usize) -> Option<crate::model::Micros> {
        self.int(index).map(crate::model::Micros)
    }

    /// An instant that every row has.
    pub fn instant(&self, index: usize) -> crate::model::Micros {
        crate::model::Micros(self.number(index))
    }

    /// Yes or no.
    pub fn yes(&self, index: usize) -> bool {
        self.number(index) != 0
    }

    /// Text.
    pub fn text(&self, index: usize) -> Option<String> {
        cell!(self, index, String)
    }

    /// Text that every row has.
    pub fn word(&self, index: usize) -> String {
        self.text(index).unwrap_or_default()
    }

    /// Bytes.
    pub fn bytes(&self, index: usize) -> Vec<u8> {
        cell!(self, index, Vec<u8>).unwrap_or_default()
    }
}
