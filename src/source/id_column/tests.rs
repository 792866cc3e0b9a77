use super::*;
use crate::config::IdEncoding;

/// A column named `id`.
pub fn column(dialect: Dialect, kind: Kind, encoding: IdEncoding) -> IdColumn {
    let raw = sql::quote(dialect, "id");
    let column = Some("id".to_owned());
    IdColumn { dialect, encoding, kind, type_name: String::new(), affinity: Affinity::Text, column, raw }
}
