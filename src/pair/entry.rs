//! An id with what was seen of it, as bytes in a temporary file.

use super::Seen;
use crate::model::{Id, Micros, State};
use std::io::{self, Read};

/// The mark of a UUID in the place of a length.
const UUID: u32 = u32::MAX;

pub(super) fn write(bytes: &mut Vec<u8>, id: &Id, seen: &Seen) {
    if let Some(uuid) = id.as_uuid() {
        bytes.extend(UUID.to_le_bytes());
        bytes.extend(uuid);
    } else {
        let text = id.to_bytes();
        // No database holds a longer one.
        bytes.extend(u32::try_from(text.len()).unwrap_or(UUID - 1).to_le_bytes());
        bytes.extend(text);
    }
    let state = match seen.state {
        State::Unknown => 0,
        State::Failed => 1,
        State::Pending => 2,
        State::Acked => 3,
    };
    bytes.extend(seen.receipts.to_le_bytes());
    bytes.extend(seen.rows.to_le_bytes());
    bytes.push(state | u8::from(seen.short) << 2);
    for at in [seen.acked, seen.created, seen.first] {
        bytes.extend(at.0.to_le_bytes());
    }
}

/// The entry, and how many bytes it takes.
pub(super) fn read(from: &mut impl Read) -> io::Result<(Id, Seen, u64)> {
    let (id, length) = match u32::from_le_bytes(fixed(from)?) {
        UUID => (Id::from_uuid(fixed(from)?), 16),
        length => {
            let mut text = vec![0; length as usize];
            from.read_exact(&mut text)?;
            (Id::from_bytes(&text), u64::from(length))
        }
    };
    let (receipts, rows) = (u32::from_le_bytes(fixed(from)?), u32::from_le_bytes(fixed(from)?));
    let [flags] = fixed(from)?;
    let state = match flags & 3 {
        0 => State::Unknown,
        1 => State::Failed,
        2 => State::Pending,
        _ => State::Acked,
    };
    let mut at = || fixed(from).map(i64::from_le_bytes).map(Micros);
    let (acked, created, first) = (at()?, at()?, at()?);
    let seen = Seen { receipts, rows, state, short: flags & 4 != 0, acked, created, first };
    Ok((id, seen, 4 + length + 2 * 4 + 1 + 3 * 8))
}

fn fixed<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

#[cfg(test)]
use proptest::prelude::*;

/// Any entry, with ids of each kind that come again.
#[cfg(test)]
pub(super) fn any() -> impl Strategy<Value = (Id, Seen)> {
    let id = "[a-c]{0,3}|[0-9]{1,4}|[ab]{8}-aaaa-aaaa-aaaa-aaaaaaaaaaa[ab]".prop_map(|id| Id::from_text(&id));
    let state = proptest::sample::select(vec![State::Unknown, State::Failed, State::Pending, State::Acked]);
    let times = (
        proptest::arbitrary::any::<i64>(),
        proptest::arbitrary::any::<i64>(),
        proptest::arbitrary::any::<i64>(),
    );
    let counts = (proptest::arbitrary::any::<u32>(), proptest::arbitrary::any::<u32>());
    (id, counts, state, proptest::arbitrary::any::<bool>(), times).prop_map(
        |(id, (receipts, rows), state, short, (acked, created, first))| {
            let (acked, created, first) = (Micros(acked), Micros(created), Micros(first));
            (id, Seen { receipts, rows, state, short, acked, created, first })
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    proptest! {
        #[test]
        fn an_entry_is_read_as_it_was_written((id, seen) in super::any(), after in "[a-z]{0,9}") {
            let mut bytes = Vec::new();
            write(&mut bytes, &id, &seen);
            let length = bytes.len() as u64;
            bytes.extend(after.bytes());
            let mut rest = bytes.as_slice();
            prop_assert_eq!(read(&mut rest).unwrap(), (id, seen, length));
            prop_assert_eq!(rest, after.as_bytes());
        }
    }
}
