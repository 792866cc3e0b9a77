//! Values to ids.

use crate::config::IdEncoding;
use crate::model::{Id, id::loose_uuid};
use crate::source::cell::Cell;

/// The id that a value stands for; `None` for NULL and for what is no id under the encoding.
pub fn id(cell: Cell<'_>, encoding: IdEncoding) -> Option<Id> {
    match encoding {
        IdEncoding::UuidBytes | IdEncoding::UuidBytesSwapped | IdEncoding::UuidBytesLe => {
            sixteen(cell).map(|bytes| Id::from_uuid(from_stored(bytes, encoding)))
        }
        IdEncoding::Text | IdEncoding::Integer | IdEncoding::Uuid => match cell {
            Cell::Integer(number) => Some(Id::from_integer(number)),
            Cell::Uuid(bytes) => Some(Id::from_uuid(bytes)),
            Cell::Text(bytes) | Cell::Bytes(bytes) => Some(written(bytes, encoding)),
            _ => None,
        },
    }
}

fn written(bytes: &[u8], encoding: IdEncoding) -> Id {
    match encoding {
        IdEncoding::Integer => number(bytes),
        IdEncoding::Uuid => Id::from_uuid_text(bytes),
        _ => Id::from_bytes(bytes),
    }
}

fn sixteen(cell: Cell<'_>) -> Option<[u8; 16]> {
    match cell {
        Cell::Uuid(bytes) => Some(bytes),
        Cell::Bytes(bytes) | Cell::Text(bytes) => bytes.try_into().ok(),
        _ => None,
    }
}

/// Digits without their leading zeros; text that is no whole number stays as it is.
fn number(bytes: &[u8]) -> Id {
    let text = bytes.trim_ascii();
    let (sign, digits) = match text.split_first() {
        Some((b'-', rest)) => ("-", rest),
        _ => ("", text),
    };
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return Id::from_bytes(bytes);
    }
    let first = digits.iter().position(|digit| *digit != b'0').unwrap_or(digits.len() - 1);
    match &digits[first..] {
        b"0" => Id::from_text("0"),
        plain => Id::from_bytes(&[sign.as_bytes(), plain].concat()),
    }
}

/// The UUID behind 16 stored bytes.
fn from_stored(s: [u8; 16], encoding: IdEncoding) -> [u8; 16] {
    let order = match encoding {
        IdEncoding::UuidBytesSwapped => [4, 5, 6, 7, 2, 3, 0, 1],
        IdEncoding::UuidBytesLe => [3, 2, 1, 0, 5, 4, 7, 6],
        _ => return s,
    };
    let mut uuid = s;
    for (to, from) in order.into_iter().enumerate() {
        uuid[to] = s[from];
    }
    uuid
}

/// The 16 bytes as the encoding stores them.
pub fn to_stored(uuid: [u8; 16], encoding: IdEncoding) -> [u8; 16] {
    match encoding {
        IdEncoding::UuidBytesSwapped => {
            let mut stored = uuid;
            for (to, from) in [6, 7, 4, 5, 0, 1, 2, 3].into_iter().enumerate() {
                stored[to] = uuid[from];
            }
            stored
        }
        _ => from_stored(uuid, encoding),
    }
}

/// The spellings of a UUID that look-ups in text columns try.
pub fn spellings(uuid: [u8; 16]) -> Vec<String> {
    let dashed = crate::model::id::uuid_text(&uuid);
    let plain = dashed.replace('-', "");
    debug_assert_eq!(loose_uuid(plain.as_bytes()), Some(uuid));
    let lower = [dashed.clone(), plain, format!("{{{dashed}}}"), format!("urn:uuid:{dashed}")];
    let upper = lower.iter().map(|text| text.to_ascii_uppercase().replacen("URN:UUID:", "urn:uuid:", 1));
    let upper: Vec<_> = upper.collect();
    lower.into_iter().chain(upper).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const UUID: &str = "6ccd780c-baba-1026-9564-5b8c656024db";
    const ENCODINGS: [IdEncoding; 6] = [
        IdEncoding::Text,
        IdEncoding::Integer,
        IdEncoding::Uuid,
        IdEncoding::UuidBytes,
        IdEncoding::UuidBytesSwapped,
        IdEncoding::UuidBytesLe,
    ];

    fn hex(text: &str) -> Vec<u8> {
        (0..text.len() / 2).map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).unwrap()).collect()
    }

    #[test]
    fn stored_orders_are_those_of_mysql_and_microsoft() {
        // UUID_TO_BIN('6ccd780c-baba-1026-9564-5b8c656024db', 1), as MySQL's manual prints it.
        let cases = [
            (IdEncoding::UuidBytes, "6ccd780cbaba102695645b8c656024db"),
            (IdEncoding::UuidBytesSwapped, "1026baba6ccd780c95645b8c656024db"),
            (IdEncoding::UuidBytesLe, "0c78cd6cbaba261095645b8c656024db"),
        ];
        for (encoding, stored) in cases {
            let bytes = hex(stored);
            let found = id(Cell::Bytes(&bytes), encoding).unwrap();
            assert_eq!(found, Id::from_text(UUID), "{encoding:?}");
            assert_eq!(to_stored(found.as_uuid().unwrap(), encoding).to_vec(), bytes, "{encoding:?}");
        }
        assert_eq!(id(Cell::Bytes(b"short"), IdEncoding::UuidBytes), None);
    }

    #[test]
    fn numbers_lose_leading_zeros_only_when_asked() {
        for (text, number) in [
            ("007", "7"),
            ("0", "0"),
            ("000", "0"),
            ("-007", "-7"),
            ("-0", "0"),
            (" 42 ", "42"),
            ("4x", "4x"),
            ("", ""),
        ] {
            assert_eq!(
                id(Cell::Text(text.as_bytes()), IdEncoding::Integer),
                Some(Id::from_text(number)),
                "{text}"
            );
            assert_eq!(id(Cell::Text(text.as_bytes()), IdEncoding::Text), Some(Id::from_text(text)));
        }
        assert_eq!(
            id(Cell::Integer(18_446_744_073_709_551_615), IdEncoding::Text).unwrap().to_string(),
            "18446744073709551615"
        );
    }

    #[test]
    fn what_is_no_id_is_none() {
        for cell in [Cell::Null, Cell::Real(1.5), Cell::BadTime, Cell::Instant(1)] {
            assert!(ENCODINGS.iter().all(|encoding| id(cell, *encoding).is_none()), "{cell:?}");
        }
    }

    #[test]
    fn every_spelling_is_read_as_the_one_uuid() {
        let uuid = Id::from_text(UUID).as_uuid().unwrap();
        let all = spellings(uuid);
        assert_eq!(all.len(), 8);
        assert!(all.iter().all(|text| Id::from_uuid_text(text.as_bytes()) == Id::from_uuid(uuid)), "{all:?}");
    }

    proptest! {
        #[test]
        fn no_bytes_make_it_panic(bytes in proptest::collection::vec(any::<u8>(), 0..40)) {
            for encoding in ENCODINGS {
                id(Cell::Text(&bytes), encoding);
                id(Cell::Bytes(&bytes), encoding);
            }
        }

        #[test]
        fn storing_and_reading_are_inverse(uuid in any::<[u8; 16]>()) {
            for encoding in [IdEncoding::UuidBytes, IdEncoding::UuidBytesSwapped, IdEncoding::UuidBytesLe] {
                prop_assert_eq!(id(Cell::Bytes(&to_stored(uuid, encoding)), encoding), Some(Id::from_uuid(uuid)));
            }
        }
    }
}
