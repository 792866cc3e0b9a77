//! Ids in the short form: what the server puts together, and how a piece becomes an id again.

use super::Pieces;
use crate::config::{Dialect, IdEncoding};
use crate::model::id::loose_uuid;
use crate::model::{Bulk, Micros};
use crate::source::cell::{Cell, Kind};
use crate::source::decode;
use crate::source::relation::Affinity;

/// How the ids of a column come in the short form.
#[derive(Debug, PartialEq)]
pub struct ShortId {
    dialect: Dialect,
    raw: String,
    kind: Kind,
    encoding: IdEncoding,
    form: Form,
    /// SQLite keeps numbers in the column as text.
    numbers_are_text: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    /// Their text, between separators.
    Text,
    /// 16 bytes each.
    Sixteen,
    /// 16 bytes each as 32 digits, between separators: SQLite puts together text only.
    Hex,
}

impl ShortId {
    /// `None` where values of this kind have to be read one by one.
    pub fn new(dialect: Dialect, raw: &str, kind: Kind, encoding: IdEncoding) -> Option<Self> {
        let text = matches!(encoding, IdEncoding::Text | IdEncoding::Integer | IdEncoding::Uuid);
        let form = match (dialect, kind) {
            (Dialect::Postgres, Kind::Uuid) => Form::Sixteen,
            (Dialect::Postgres | Dialect::Mysql, Kind::Bytes) if !text => Form::Sixteen,
            (Dialect::Postgres | Dialect::Mysql, Kind::Text | Kind::Integer(..))
            | (Dialect::Mysql, Kind::Bytes)
            | (Dialect::Sqlite, Kind::Dynamic)
                if text =>
            {
                Form::Text
            }
            (Dialect::Sqlite, Kind::Dynamic) => Form::Hex,
            _ => return None,
        };
        Some(Self { dialect, raw: raw.to_owned(), kind, encoding, form, numbers_are_text: false })
    }

    /// The same for a column of which SQLite says what it makes of values.
    pub fn of_affinity(self, affinity: Affinity) -> Self {
        Self { numbers_are_text: affinity == Affinity::Text, ..self }
    }

    /// What the server puts together.
    pub fn value(&self) -> String {
        match (self.dialect, self.form) {
            (Dialect::Postgres, Form::Sixteen) if self.kind == Kind::Uuid => {
                format!("uuid_send({})", self.raw)
            }
            (Dialect::Postgres, Form::Text) => format!("({})::text", self.raw),
            (Dialect::Sqlite, Form::Hex) => format!("hex({})", self.raw),
            _ => self.raw.clone(),
        }
    }

    /// Rows that have one.
    pub fn present(&self) -> String {
        format!("{} IS NOT NULL", self.raw)
    }

    /// Whose words these are.
    pub fn dialect(&self) -> Dialect {
        self.dialect
    }

    /// Whether a separator follows each.
    pub fn is_separated(&self) -> bool {
        self.form != Form::Sixteen
    }

    /// Which values have this form, beyond being there.
    pub fn fits(&self) -> Option<String> {
        let raw = &self.raw;
        match (self.dialect, self.form) {
            (Dialect::Postgres, Form::Sixteen) if self.kind == Kind::Bytes => {
                Some(format!("octet_length({raw}) = 16"))
            }
            (Dialect::Mysql, Form::Sixteen) => Some(format!("LENGTH({raw}) = 16")),
            (_, Form::Hex) => Some(format!("typeof({raw}) = 'blob' AND length({raw}) = 16")),
            (Dialect::Sqlite, _) if self.numbers_are_text => Some(format!("typeof({raw}) = 'text'")),
            (Dialect::Sqlite, _) => Some(format!("typeof({raw}) IN ('text', 'integer')")),
            _ => None,
        }
    }

    /// The next one, where it is a UUID in canonical text, and so many bytes behind it, where those end the row.
    pub(super) fn uuid<'b>(&self, pieces: &Pieces<'b>, behind: usize) -> Option<([u8; 16], &'b [u8])> {
        let is_text = self.form == Form::Text && self.encoding != IdEncoding::Integer;
        is_text.then(|| pieces.uuid(behind)).flatten()
    }

    /// The next one's piece.
    pub(super) fn piece<'b>(&self, pieces: &mut Pieces<'b>) -> Option<&'b [u8]> {
        if self.is_separated() { pieces.separated() } else { pieces.fixed(16) }
    }

    /// Takes in a piece as the id that it is; `None` where it is none.
    pub(super) fn take(&self, piece: &[u8], at: Micros, bulk: &mut Bulk) -> Option<()> {
        let cell = match (self.form, self.kind, self.encoding) {
            (Form::Text, _, IdEncoding::Text) => return bulk.push(piece, at).then_some(()),
            (Form::Text, ..) => Cell::Text(piece),
            (Form::Sixteen, Kind::Uuid, _) => Cell::Uuid(piece.try_into().ok()?),
            (Form::Sixteen, ..) => Cell::Bytes(piece),
            (Form::Hex, ..) => return self.take_hex(piece, at, bulk),
        };
        bulk.push_id(&decode::id::id(cell, self.encoding)?, at).then_some(())
    }

    fn take_hex(&self, piece: &[u8], at: Micros, bulk: &mut Bulk) -> Option<()> {
        let bytes = loose_uuid(piece).filter(|_| piece.len() == 32)?;
        bulk.push_id(&decode::id::id(Cell::Bytes(&bytes), self.encoding)?, at).then_some(())
    }
}
