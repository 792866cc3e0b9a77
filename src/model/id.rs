//! A message id: bytes, compared as bytes, never by a database's collation and never as a number.

use std::fmt;

/// A message id in its normal form. Two ids are equal exactly if their texts (or bytes) are.
///
/// Canonical UUID text and canonical decimal numbers are kept inline, without an allocation; the constructors
/// are the only way in, so that one text has one representation.
#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Id(Repr);

#[derive(Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
enum Repr {
    Uuid([u8; 16]),
    Number(u64),
    Bytes(Box<[u8]>),
}

const DASHES: [usize; 4] = [8, 13, 18, 23];

impl Id {
    /// An id from the bytes as they stand in the column (text in UTF-8, or binary).
    #[must_use]
    pub fn from_bytes(bytes: &[u8]) -> Self {
        if let Some(uuid) = canonical_uuid(bytes) {
            return Self(Repr::Uuid(uuid));
        }
        if let Some(number) = canonical_number(bytes) {
            return Self(Repr::Number(number));
        }
        Self(Repr::Bytes(bytes.into()))
    }

    /// An id from text.
    #[must_use]
    pub fn from_text(text: &str) -> Self {
        Self::from_bytes(text.as_bytes())
    }

    /// An id as reports show it: its text, or `hex:…` for bytes that are no text.
    #[must_use]
    pub fn from_shown(text: &str) -> Self {
        let bytes = text.strip_prefix("hex:").and_then(unhexed);
        match bytes.filter(|bytes| std::str::from_utf8(bytes).is_err()) {
            Some(bytes) => Self::from_bytes(&bytes),
            None => Self::from_text(text),
        }
    }

    /// An id from an integer column; its text is the plain decimal number.
    #[must_use]
    pub fn from_integer(value: i128) -> Self {
        match u64::try_from(value) {
            Ok(number) => Self(Repr::Number(number)),
            Err(_) => Self::from_text(&value.to_string()),
        }
    }

    /// An id from the 16 bytes of a UUID; its text is lower case with dashes.
    #[must_use]
    pub fn from_uuid(bytes: [u8; 16]) -> Self {
        Self(Repr::Uuid(bytes))
    }

    /// A UUID in any usual spelling (case, dashes, braces, `urn:uuid:`) in canonical form; other text as it stands.
    #[must_use]
    pub fn from_uuid_text(bytes: &[u8]) -> Self {
        loose_uuid(bytes).map_or_else(|| Self::from_bytes(bytes), Self::from_uuid)
    }

    /// The 16 bytes, where the id is a canonical UUID.
    #[must_use]
    pub fn as_uuid(&self) -> Option<[u8; 16]> {
        match self.0 {
            Repr::Uuid(bytes) => Some(bytes),
            _ => None,
        }
    }

    /// The id's exact bytes.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        match &self.0 {
            Repr::Uuid(bytes) => uuid_text(bytes).into_bytes(),
            Repr::Number(number) => number.to_string().into_bytes(),
            Repr::Bytes(bytes) => bytes.to_vec(),
        }
    }

    /// The id as text, where its bytes are UTF-8.
    #[must_use]
    pub fn to_text(&self) -> Option<String> {
        String::from_utf8(self.to_bytes()).ok()
    }
}

/// The exact text; bytes that are not UTF-8 as `hex:…`.
impl fmt::Display for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Repr::Uuid(bytes) => f.write_str(&uuid_text(bytes)),
            Repr::Number(number) => write!(f, "{number}"),
            Repr::Bytes(bytes) => {
                if let Ok(text) = std::str::from_utf8(bytes) {
                    return f.write_str(text);
                }
                f.write_str("hex:")?;
                bytes.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
            }
        }
    }
}

impl fmt::Debug for Id {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_string())
    }
}

impl serde::Serialize for Id {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.collect_str(self)
    }
}

/// Reads what `Serialize` wrote; text that begins with `hex:` and means such bytes is taken for them, and shown alike.
impl<'de> serde::Deserialize<'de> for Id {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        Ok(Self::from_shown(&String::deserialize(from)?))
    }
}

/// Lower-case text with dashes.
#[must_use]
pub fn uuid_text(bytes: &[u8; 16]) -> String {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut text = String::with_capacity(36);
    for (place, byte) in bytes.iter().enumerate() {
        if matches!(place, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        text.push(HEX[usize::from(byte >> 4)] as char);
        text.push(HEX[usize::from(byte & 15)] as char);
    }
    text
}

fn unhexed(digits: &str) -> Option<Vec<u8>> {
    let digit = |byte: &u8| char::from(*byte).to_digit(16);
    let pair = |pair: &[u8]| match pair {
        [high, low] => u8::try_from(digit(high)? << 4 | digit(low)?).ok(),
        _ => None,
    };
    digits.as_bytes().chunks(2).map(pair).collect()
}

/// The bytes of a UUID in canonical text: lower case, with dashes. Every id that is read comes through here, so it takes
/// the same steps with all digits, as processors do with many bytes at once.
#[must_use]
pub fn canonical_uuid(bytes: &[u8]) -> Option<[u8; 16]> {
    let text: &[u8; 36] = bytes.try_into().ok()?;
    let mut wrong = DASHES.iter().fold(0, |wrong, &at| wrong | (text[at] ^ b'-'));
    let mut digits = [0; 32];
    for (to, from) in [(0..8, 0..8), (8..12, 9..13), (12..16, 14..18), (16..20, 19..23), (20..32, 24..36)] {
        digits[to].copy_from_slice(&text[from]);
    }
    for digit in &mut digits {
        // A letter has the bit of 64; its lower half counts from one.
        let value = (*digit & 15) + (*digit >> 6 & 1) * 9;
        let written = value + b'0' + if value > 9 { b'a' - b'9' - 1 } else { 0 };
        wrong |= (written ^ *digit) | (value & 0xf0);
        *digit = value;
    }
    let mut uuid = [0; 16];
    for (byte, pair) in uuid.iter_mut().zip(digits.chunks_exact(2)) {
        *byte = pair[0] << 4 | pair[1];
    }
    (wrong == 0).then_some(uuid)
}

/// A UUID in any usual spelling: either case, with or without dashes, in braces, behind `urn:uuid:`, blanks around.
#[must_use]
pub fn loose_uuid(bytes: &[u8]) -> Option<[u8; 16]> {
    let mut text = bytes.trim_ascii();
    if text.len() > 9 && text[..9].eq_ignore_ascii_case(b"urn:uuid:") {
        text = &text[9..];
    }
    if let Some(inner) = text.strip_prefix(b"{").and_then(|rest| rest.strip_suffix(b"}")) {
        text = inner;
    }
    match text.len() {
        32 => packed(text.iter().copied()),
        36 if DASHES.iter().all(|&at| text[at] == b'-') => {
            packed(text.iter().enumerate().filter(|(at, _)| !DASHES.contains(at)).map(|(_, &byte)| byte))
        }
        _ => None,
    }
}

fn packed(digits: impl Iterator<Item = u8>) -> Option<[u8; 16]> {
    let mut bytes = [0_u8; 16];
    let mut count = 0;
    for digit in digits {
        let value = match digit {
            b'0'..=b'9' => digit - b'0',
            b'a'..=b'f' => digit - b'a' + 10,
            b'A'..=b'F' => digit - b'A' + 10,
            _ => return None,
        };
        let place = bytes.get_mut(count / 2)?;
        *place = *place << 4 | value;
        count += 1;
    }
    (count == 32).then_some(bytes)
}

fn canonical_number(bytes: &[u8]) -> Option<u64> {
    if bytes.is_empty() || bytes.len() > 20 || (bytes[0] == b'0' && bytes.len() > 1) {
        return None;
    }
    bytes.iter().try_fold(0_u64, |number, byte| {
        byte.is_ascii_digit().then_some(())?;
        number.checked_mul(10)?.checked_add(u64::from(byte - b'0'))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn one_text_has_one_representation() {
        for text in [
            "",
            "0",
            "007",
            "7",
            "9007199254740993",
            "18446744073709551615",
            "18446744073709551616",
            "-1",
            "+1",
        ] {
            assert_eq!(Id::from_text(text).to_string(), text);
            if let Ok(number) = text.parse::<i128>()
                && number.to_string() == text
            {
                assert_eq!(Id::from_integer(number), Id::from_text(text));
            }
        }
        assert_ne!(Id::from_text("007"), Id::from_text("7"));
        assert_eq!(Id::from_bytes(&[0xff, 0x00]).to_string(), "hex:ff00");
    }

    #[test]
    fn uuids_are_equal_in_any_spelling_only_when_asked() {
        let canonical = "6ccd780c-baba-1026-9564-5b8c656024db";
        for spelling in [
            "6CCD780C-BABA-1026-9564-5B8C656024DB",
            "{6ccd780c-baba-1026-9564-5b8c656024db}",
            "urn:uuid:6CCD780C-BABA-1026-9564-5B8C656024DB",
            "6ccd780cbaba102695645b8c656024db",
        ] {
            assert_eq!(Id::from_uuid_text(spelling.as_bytes()), Id::from_text(canonical));
            assert_ne!(Id::from_text(spelling), Id::from_text(canonical));
        }
        assert_eq!(Id::from_uuid_text(b"not-a-uuid"), Id::from_text("not-a-uuid"));
        assert_eq!(std::mem::size_of::<Id>(), 24);
    }

    #[test]
    fn a_uuid_has_one_canonical_text() {
        let text = "6ccd780c-baba-1026-9564-5b8c656024df";
        for place in 0..text.len() {
            for byte in 0..=255 {
                let mut bytes = text.as_bytes().to_vec();
                bytes[place] = byte;
                let canonical =
                    if DASHES.contains(&place) { byte == b'-' } else { b"0123456789abcdef".contains(&byte) };
                let uuid = canonical_uuid(&bytes);
                assert_eq!(uuid.map(|uuid| uuid_text(&uuid).into_bytes()), canonical.then_some(bytes));
            }
        }
        assert_eq!(canonical_uuid(&text.as_bytes()[1..]), None);
    }

    proptest! {
        #[test]
        fn bytes_come_back_as_they_went_in(bytes in proptest::collection::vec(any::<u8>(), 0..50)) {
            prop_assert_eq!(Id::from_bytes(&bytes).to_bytes(), bytes);
        }

        #[test]
        fn digits_come_back_as_they_went_in(text in "[0-9a-f]{1,21}|[0-9]{1,21}") {
            prop_assert_eq!(Id::from_text(&text).to_string(), text);
        }
    }
}
