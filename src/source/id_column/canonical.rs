//! An id's normal form as SQL, and its SHA-256: what a server adds up must be what [`crate::model::Id`] means, to the byte.
//! Where that cannot be said of a column it is refused; where it cannot be said of a value, the form is NULL and the row
//! is read. Pure.

use super::IdColumn;
use crate::config::{Dialect, IdEncoding};
use crate::source::cell::Kind;

/// The normal form of a column's ids.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Canonical {
    dialect: Dialect,
    form: String,
    /// PostgreSQL: these are bytes. MySQL: they may be, or text in another character set than UTF-8.
    binary: bool,
}

impl Canonical {
    /// True for rows whose id can be added up.
    pub fn present(&self) -> String {
        format!("({} IS NOT NULL)", self.form)
    }

    /// The SHA-256 of the form's bytes, on MySQL in hexadecimal digits; NULL where the form is.
    pub fn digest(&self) -> String {
        let Self { form, .. } = self;
        match self.dialect {
            Dialect::Postgres if self.binary => format!("sha256({form})"),
            Dialect::Postgres => format!("sha256(convert_to({form}, 'UTF8'))"),
            // The driver cannot tell binary columns from text in a binary collation; the server can, row by row.
            _ if self.binary => {
                format!("SHA2(IF(CHARSET({form}) = 'binary', {form}, CONVERT({form} USING utf8mb4)), 256)")
            }
            _ => format!("SHA2({form}, 256)"),
        }
    }
}

impl IdColumn {
    /// The normal form of this column's ids; why not, where a server cannot tell it exactly.
    pub fn canonical(&self) -> Result<Canonical, String> {
        self.canonical_of(&self.raw)
    }

    /// The same of another expression of the column's type.
    pub fn canonical_of(&self, raw: &str) -> Result<Canonical, String> {
        let form = match self.dialect {
            Dialect::Postgres => postgres(self.encoding, self.kind, raw),
            Dialect::Mysql => mysql(self.encoding, self.kind, raw),
            Dialect::Sqlite => None,
        };
        let binary = self.encoding == IdEncoding::Text
            && match self.dialect {
                Dialect::Mysql => matches!(self.kind, Kind::Text | Kind::Bytes) && !self.utf8,
                _ => self.kind == Kind::Bytes,
            };
        form.map(|form| Canonical { dialect: self.dialect, form, binary }).ok_or_else(|| {
            format!(
                "servers cannot be relied on to read ids of type {} under this encoding as msgrecon does",
                self.type_name
            )
        })
    }

    /// Ids of all sorts that a value of the column's type can have, as SQL for one such value, and the text of each.
    pub fn golden(&self) -> Vec<(&'static str, &'static str)> {
        const UUID: &str = "6ccd780c-baba-1026-9564-5b8c656024db";
        let text = matches!(self.kind, Kind::Text | Kind::Bytes | Kind::Padded | Kind::Other | Kind::Decimal);
        match (self.encoding, self.dialect, self.kind) {
            (IdEncoding::Text, Dialect::Postgres, Kind::Bytes) => {
                TEXTS.iter().map(|text| ("convert_to(/*value*/::text, 'UTF8')", *text)).collect()
            }
            (IdEncoding::Text, Dialect::Postgres, _) if text => {
                TEXTS.iter().map(|text| ("/*value*/::text", *text)).collect()
            }
            (IdEncoding::Text, _, _) if text => {
                TEXTS.iter().map(|text| ("CONVERT(/*value*/ USING utf8mb4)", *text)).collect()
            }
            (IdEncoding::Uuid, Dialect::Postgres, _) if text => vec![("/*value*/::text", UUID)],
            (IdEncoding::Uuid, _, _) if text => vec![("CONVERT(/*value*/ USING utf8mb4)", UUID)],
            (_, Dialect::Postgres, Kind::Integer(..)) => {
                NUMBERS.iter().map(|text| ("/*value*/::text::bigint", *text)).collect()
            }
            (_, _, Kind::Integer(..)) => {
                NUMBERS.iter().map(|text| ("CAST(/*value*/ AS SIGNED)", *text)).collect()
            }
            (_, Dialect::Postgres, Kind::Uuid) => vec![("/*value*/::text::uuid", UUID)],
            _ => Vec::new(),
        }
    }
}

/// Letters beyond ASCII, in and beyond the first plane; signs that end texts, patterns and lists; blanks; nothing at all;
/// what looks like other types.
const TEXTS: [&str; 12] = [
    "6ccd780c-baba-1026-9564-5b8c656024db",
    "6CCD780C-BABA-1026-9564-5B8C656024DB",
    "42",
    "007",
    "",
    " ",
    "日本 ü",
    "🦀",
    "o'clock \" \\ % _ , ; --",
    "trailing blanks  ",
    "line\nline\ttab",
    "255: aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeeeffffffffffgggggggggghhhhhhhhhhiiiiiiiiiijjjjjjjjjjkkkkkkkkkkllllllllllmmmmmmmmmmnnnnnnnnnnooooooooooppppppppppqqqqqqqqqqrrrrrrrrrrssssssssssttttttttttuuuuuuuuuuvvvvvvvvvvwwwwwwwwwwxxxxxxxxxxyyyyyyyyyy",
];
const NUMBERS: [&str; 5] = ["0", "7", "-7", "9007199254740993", "9223372036854775807"];

fn postgres(encoding: IdEncoding, kind: Kind, raw: &str) -> Option<String> {
    use IdEncoding::{Integer, Text, Uuid, UuidBytes};
    let text = format!("({raw})::text");
    match (encoding, kind) {
        (Text | Integer | Uuid, Kind::Integer(..) | Kind::Uuid)
        | (UuidBytes, Kind::Uuid)
        | (Text, Kind::Text | Kind::Padded | Kind::Decimal | Kind::Other) => Some(text),
        (Text, Kind::Bytes) => Some(format!("({raw})")),
        (Uuid, Kind::Text | Kind::Padded | Kind::Other) => Some(postgres_spellings(&text)),
        (_, Kind::Bytes) => {
            let dashed = dashed(&format!("encode({raw}, 'hex')"), fields(encoding)?, Dialect::Postgres);
            Some(format!("CASE WHEN length({raw}) = 16 THEN {dashed} END"))
        }
        _ => None,
    }
}

fn mysql(encoding: IdEncoding, kind: Kind, raw: &str) -> Option<String> {
    use IdEncoding::{Integer, Text, Uuid};
    match (encoding, kind) {
        // The sum has no zeros in front, as a column with ZEROFILL would have.
        (Text | Integer | Uuid, Kind::Integer(..)) => Some(format!("CAST({raw} + 0 AS CHAR)")),
        (Text, Kind::Text | Kind::Bytes) => Some(raw.to_owned()),
        (Uuid, Kind::Text | Kind::Bytes) => Some(mysql_spellings(&format!("CONVERT({raw} USING utf8mb4)"))),
        (_, Kind::Bytes) => {
            let dashed = dashed(&format!("LOWER(HEX({raw}))"), fields(encoding)?, Dialect::Mysql);
            Some(format!("CASE WHEN CHARSET({raw}) = 'binary' AND LENGTH({raw}) = 16 THEN {dashed} END"))
        }
        _ => None,
    }
}

/// The usual spellings of a UUID. Others, and what is no UUID, are read by the row.
fn postgres_spellings(text: &str) -> String {
    let rest = format!("translate(lower({text}), '0123456789abcdef', '')");
    let plain = dashed(&format!("lower({text})"), PLAIN, Dialect::Postgres);
    format!(
        "CASE WHEN {text} LIKE '________-____-____-____-____________' AND {rest} = '----' THEN lower({text}) \
         WHEN length({text}) = 32 AND {rest} = '' THEN {plain} END"
    )
}

fn mysql_spellings(text: &str) -> String {
    let plain = dashed(&format!("LOWER({text})"), PLAIN, Dialect::Mysql);
    format!(
        "CASE WHEN CHAR_LENGTH({text}) = 36 AND {text} REGEXP '^[0-9a-fA-F]{{8}}-([0-9a-fA-F]{{4}}-){{3}}[0-9a-fA-F]{{12}}$' \
         THEN LOWER({text}) WHEN CHAR_LENGTH({text}) = 32 AND {text} REGEXP '^[0-9a-fA-F]{{32}}$' THEN {plain} END"
    )
}

/// Where the digits of each field of a UUID's text stand in 32 hexadecimal digits: from, how many.
type Fields = &'static [&'static [(u8, u8)]];

const PLAIN: Fields = &[&[(1, 8)], &[(9, 4)], &[(13, 4)], &[(17, 4)], &[(21, 12)]];
const SWAPPED: Fields = &[&[(9, 8)], &[(5, 4)], &[(1, 4)], &[(17, 4)], &[(21, 12)]];
const LITTLE_ENDIAN: Fields =
    &[&[(7, 2), (5, 2), (3, 2), (1, 2)], &[(11, 2), (9, 2)], &[(15, 2), (13, 2)], &[(17, 4)], &[(21, 12)]];

fn fields(encoding: IdEncoding) -> Option<Fields> {
    match encoding {
        IdEncoding::UuidBytes => Some(PLAIN),
        IdEncoding::UuidBytesSwapped => Some(SWAPPED),
        IdEncoding::UuidBytesLe => Some(LITTLE_ENDIAN),
        _ => None,
    }
}

fn dashed(hex: &str, fields: Fields, dialect: Dialect) -> String {
    let part = |(from, count): &(u8, u8)| format!("substr({hex}, {from}, {count})");
    let (open, between, close) =
        if dialect == Dialect::Postgres { ("(", " || ", ")") } else { ("CONCAT(", ", ", ")") };
    let field = |field: &&[(u8, u8)]| field.iter().map(part).collect::<Vec<_>>().join(between);
    let dash = format!("{between}'-'{between}");
    format!("{open}{}{close}", fields.iter().map(field).collect::<Vec<_>>().join(&dash))
}
