//! An id with what was seen of it, as bytes in a temporary file: a byte that says what follows (all of its bits are taken),
//! the id, how many receipts and rows there are, and the times that there are.

use super::seen::{NEVER, Seen};
use crate::model::{Id, Micros, State};
use std::io::{self, Read};

const STATE: u8 = 3;
const SHORT: u8 = 1 << 2;
const UUID: u8 = 1 << 3;
const ACKED: u8 = 1 << 4;
const CREATED: u8 = 1 << 5;
const FIRST: u8 = 1 << 6;
const SOLE: u8 = 1 << 7;

pub(super) fn write(bytes: &mut Vec<u8>, id: &Id, seen: &Seen) {
    let uuid = id.as_uuid();
    let times = [(ACKED, seen.acked), (CREATED, seen.created), (FIRST, seen.first)];
    let given = times.iter().filter(|(_, at)| *at != NEVER);
    let flags = given.clone().fold(state_bits(seen.state), |flags, (flag, _)| flags | flag);
    let marks = [(SHORT, seen.short), (UUID, uuid.is_some()), (SOLE, seen.sole)];
    bytes.push(marks.iter().filter(|(_, is)| *is).fold(flags, |flags, (flag, _)| flags | flag));
    if let Some(uuid) = uuid {
        bytes.extend(uuid);
    } else {
        let text = id.to_bytes();
        number(bytes, text.len() as u64);
        bytes.extend(text);
    }
    number(bytes, seen.receipts.into());
    number(bytes, seen.rows.into());
    given.for_each(|(_, at)| bytes.extend(at.0.to_le_bytes()));
}

fn state_bits(state: State) -> u8 {
    match state {
        State::Unknown => 0,
        State::Failed => 1,
        State::Pending => 2,
        State::Acked => 3,
    }
}

/// Seven bits a byte, the lowest first; the eighth says that more follow.
fn number(bytes: &mut Vec<u8>, mut number: u64) {
    while number > 0x7f {
        bytes.push((number & 0x7f) as u8 | 0x80);
        number >>= 7;
    }
    bytes.push((number & 0x7f) as u8);
}

/// The entry, and how many bytes it takes.
pub(super) fn read(from: &mut impl Read) -> io::Result<(Id, Seen, u64)> {
    let mut from = Counted { from, taken: 0 };
    let [flags] = fixed(&mut from)?;
    let id = if flags & UUID != 0 { Id::from_uuid(fixed(&mut from)?) } else { text(&mut from)? };
    let (receipts, rows) = (small(&mut from)?, small(&mut from)?);
    let mut at = |flag| {
        if flags & flag == 0 { Ok(NEVER) } else { fixed(&mut from).map(i64::from_le_bytes).map(Micros) }
    };
    let (acked, created, first) = (at(ACKED)?, at(CREATED)?, at(FIRST)?);
    let state = match flags & STATE {
        0 => State::Unknown,
        1 => State::Failed,
        2 => State::Pending,
        _ => State::Acked,
    };
    let (short, sole) = (flags & SHORT != 0, flags & SOLE != 0);
    Ok((id, Seen { receipts, rows, state, short, sole, acked, created, first }, from.taken))
}

fn text(from: &mut impl Read) -> io::Result<Id> {
    let mut text = vec![0; small(from)? as usize];
    from.read_exact(&mut text)?;
    Ok(Id::from_bytes(&text))
}

/// What [`number`] wrote.
fn small(from: &mut impl Read) -> io::Result<u32> {
    let mut number = 0_u64;
    for shift in (0..35).step_by(7) {
        let [byte] = fixed(from)?;
        number |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            break;
        }
    }
    u32::try_from(number).map_err(|_| io::ErrorKind::InvalidData.into())
}

fn fixed<const N: usize>(from: &mut impl Read) -> io::Result<[u8; N]> {
    let mut bytes = [0; N];
    from.read_exact(&mut bytes)?;
    Ok(bytes)
}

struct Counted<'r, R> {
    from: &'r mut R,
    taken: u64,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let read = self.from.read(into)?;
        self.taken += read as u64;
        Ok(read)
    }
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
    let marks = (proptest::arbitrary::any::<bool>(), proptest::arbitrary::any::<bool>());
    (id, counts, state, marks, times).prop_map(
        |(id, (receipts, rows), state, (short, sole), (acked, created, first))| {
            let (acked, created, first) = (Micros(acked), Micros(created), Micros(first));
            (id, Seen { receipts, rows, state, short, sole, acked, created, first })
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
