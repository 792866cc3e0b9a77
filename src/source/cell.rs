//! One value of one row, borrowed from the driver's buffer, in the terms that all three databases share.

/// What stands in a column of a row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Cell<'a> {
    /// Nothing.
    Null,
    /// A whole number of any width and sign.
    Integer(i128),
    /// A floating-point number.
    Real(f64),
    /// Text, or a decimal number in digits; the bytes need not be UTF-8.
    Text(&'a [u8]),
    /// Binary.
    Bytes(&'a [u8]),
    /// A native UUID in network order.
    Uuid([u8; 16]),
    /// Microseconds since 1970 in UTC.
    Instant(i64),
    /// Microseconds since 1970 on a wall clock whose zone the database does not know.
    Local(i64),
    /// The all-zero date that stands for "not yet".
    ZeroTime,
    /// A date-time that is none: infinity, month 0, day 0, beyond every calendar.
    BadTime,
}

impl Cell<'_> {
    /// The number, where it is a whole one that fits.
    pub fn integer(&self) -> Option<i64> {
        match self {
            Self::Integer(number) => i64::try_from(*number).ok(),
            Self::Text(text) => std::str::from_utf8(text).ok()?.trim().parse().ok(),
            _ => None,
        }
    }

    /// The text, with a mark in the place of what is not UTF-8.
    pub fn text(&self) -> Option<String> {
        match self {
            Self::Text(bytes) | Self::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
            Self::Integer(number) => Some(number.to_string()),
            Self::Real(number) => Some(number.to_string()),
            Self::Uuid(bytes) => Some(crate::model::id::uuid_text(bytes)),
            Self::Null | Self::Instant(_) | Self::Local(_) | Self::ZeroTime | Self::BadTime => None,
        }
    }
}

/// A row, whatever driver it came from.
pub trait Fields {
    /// The value in the given place, from 0; `Null` where there is no such place.
    fn cell(&self, index: usize) -> Cell<'_>;

    /// The value in the column of this name, in whatever case; `Null` where there is none.
    fn named(&self, _name: &str) -> Cell<'_> {
        Cell::Null
    }
}

/// How a column's values look on the wire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Each value has its own type (SQLite).
    Dynamic,
    /// Whole numbers; the width in bytes, and whether there is a sign.
    Integer(u8, bool),
    /// Bits, as a big-endian number.
    Bits,
    /// True or false.
    Bool,
    /// Floating-point numbers; the width in bytes.
    Real(u8),
    /// Decimal numbers.
    Decimal,
    /// Text.
    Text,
    /// Text that is filled up with blanks.
    Padded,
    /// Binary.
    Bytes,
    /// Native UUIDs.
    Uuid,
    /// Date and time that the server converts to UTC.
    Instant,
    /// Date and time without a zone.
    Local,
    /// A date without a time of day.
    Date,
    /// Arrays, JSON, rows: nothing that a single value could be taken from.
    Structured,
    /// Anything else: read as the server's text.
    Other,
}

/// A column of a result: how its values look, and what the server calls its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ColumnType {
    /// How its values look.
    pub kind: Kind,
    /// The server's name for the type.
    pub name: String,
}
