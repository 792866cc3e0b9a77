use super::*;

/// A column named `id`.
pub fn column(dialect: Dialect, kind: Kind, encoding: IdEncoding) -> IdColumn {
    let raw = sql::quote(dialect, "id");
    IdColumn {
        dialect,
        encoding,
        kind,
        type_name: String::new(),
        affinity: Affinity::Text,
        utf8: false,
        column: Some("id".to_owned()),
        raw,
    }
}

const UUID: &str = "6ccd780c-baba-1026-9564-5b8c656024db";

#[test]
fn ids_are_bound_in_the_columns_own_form() {
    let text = |text: &str| Value::Text(text.to_owned());
    let cases = [
        (Dialect::Postgres, Kind::Integer(8, true), IdEncoding::Text, "7", vec![Value::Int(7)]),
        (Dialect::Postgres, Kind::Integer(8, true), IdEncoding::Text, "m7", vec![]),
        (
            Dialect::Mysql,
            Kind::Integer(8, false),
            IdEncoding::Text,
            "18446744073709551615",
            vec![Value::Uint(u64::MAX)],
        ),
        (Dialect::Postgres, Kind::Integer(8, true), IdEncoding::Text, "18446744073709551615", vec![]),
        (Dialect::Postgres, Kind::Uuid, IdEncoding::Text, UUID, vec![text(UUID)]),
        (Dialect::Postgres, Kind::Uuid, IdEncoding::Text, "m7", vec![]),
        (Dialect::Postgres, Kind::Decimal, IdEncoding::Text, "0.10", vec![text("0.10")]),
        (Dialect::Postgres, Kind::Decimal, IdEncoding::Text, "1e3", vec![]),
        (Dialect::Postgres, Kind::Text, IdEncoding::Text, "a\0b", vec![]),
        (Dialect::Postgres, Kind::Bytes, IdEncoding::Text, "abc", vec![Value::Bytes(b"abc".to_vec())]),
        (Dialect::Sqlite, Kind::Dynamic, IdEncoding::Text, "7", vec![Value::Int(7), text("7")]),
        (Dialect::Mysql, Kind::Bytes, IdEncoding::UuidBytes, "m7", vec![]),
    ];
    for (dialect, kind, encoding, id, values) in cases {
        assert_eq!(
            column(dialect, kind, encoding).values(&Id::from_text(id)),
            values,
            "{dialect:?} {kind:?} {id}"
        );
    }
    let spelled = column(Dialect::Mysql, Kind::Text, IdEncoding::Uuid).values(&Id::from_text(UUID));
    assert!(spelled.len() == 8 && spelled.contains(&text("6CCD780CBABA102695645B8C656024DB")), "{spelled:?}");
}

#[test]
fn lists_have_few_lengths() {
    let lengths: Vec<usize> = [1, 2, 16, 17, 1_000, 1_025, 8_000, 16_000].into_iter().map(padded).collect();
    assert_eq!(lengths, [1, 16, 16, 128, 1_024, 2_048, 8_192, 16_384]);
}

#[test]
fn distinct_values_are_distinct_ids_only_where_nothing_is_normalised() {
    let keeps = |kind, encoding| column(Dialect::Postgres, kind, encoding).keeps_distinct();
    assert!(keeps(Kind::Text, IdEncoding::Text) && keeps(Kind::Uuid, IdEncoding::Uuid));
    assert!(
        keeps(Kind::Integer(8, true), IdEncoding::Integer) && keeps(Kind::Bytes, IdEncoding::UuidBytesLe)
    );
    assert!(!keeps(Kind::Text, IdEncoding::Uuid) && !keeps(Kind::Text, IdEncoding::Integer));
}
