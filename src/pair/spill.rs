//! What does not fit into memory: in a temporary file without a name, which is gone when the run is, however it ends.
//!
//! Entries are parted by a hash of their ids, so that everything about one id is in one part, and a part fits into
//! memory by itself: a partitioned hash join.

use super::Seen;
use crate::model::{Id, Micros, State};
use hashbrown::DefaultHashBuilder;
use std::fs::File;
use std::hash::BuildHasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// Ids are parted into so many.
pub const PARTS: usize = 256;

/// Which part an id belongs to; every consumer of a flow parts alike.
#[derive(Clone, Debug, Default)]
pub struct Parting(DefaultHashBuilder);

impl Parting {
    /// From 0 to [`PARTS`] - 1.
    #[must_use]
    pub fn of(&self, id: &Id) -> usize {
        // The upper bits: the tables of a part use the lower ones of their own hash.
        (self.0.hash_one(id) >> 56) as usize % PARTS
    }
}

/// The file and where the pieces of its parts are.
#[derive(Debug, Default)]
pub struct Spill {
    file: Option<File>,
    end: u64,
    /// Offset and length, by part.
    pieces: Vec<Vec<(u64, usize)>>,
}

impl Spill {
    /// Whether nothing was ever put here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.pieces.is_empty()
    }

    /// Writes entries.
    ///
    /// # Errors
    /// If the temporary folder cannot be written to, or is full.
    pub fn put(&mut self, entries: impl Iterator<Item = (Id, Seen)>, parting: &Parting) -> io::Result<()> {
        let mut parts = vec![Vec::new(); PARTS];
        for (id, seen) in entries {
            write_entry(&mut parts[parting.of(&id)], &id, &seen);
        }
        self.pieces.resize_with(PARTS, Vec::new);
        for (bytes, pieces) in parts.iter().zip(&mut self.pieces).filter(|(bytes, _)| !bytes.is_empty()) {
            let file = match &mut self.file {
                Some(file) => file,
                None => self.file.insert(tempfile::tempfile()?),
            };
            file.seek(SeekFrom::Start(self.end))?;
            file.write_all(bytes)?;
            pieces.push((self.end, bytes.len()));
            self.end += bytes.len() as u64;
        }
        Ok(())
    }

    /// Reads a part back, in the order in which it was written.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold what was written.
    pub fn take(&mut self, part: usize) -> io::Result<Vec<(Id, Seen)>> {
        let pieces = self.pieces.get_mut(part).map(std::mem::take).unwrap_or_default();
        let mut entries = Vec::new();
        for (offset, length) in pieces {
            let Some(file) = &mut self.file else { return Err(io::ErrorKind::UnexpectedEof.into()) };
            let mut bytes = vec![0; length];
            file.seek(SeekFrom::Start(offset))?;
            file.read_exact(&mut bytes)?;
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                entries.push(read_entry(&mut rest).ok_or(io::ErrorKind::InvalidData)?);
            }
        }
        Ok(entries)
    }
}

/// The mark of a UUID in the place of a length.
const UUID: u32 = u32::MAX;

fn write_entry(bytes: &mut Vec<u8>, id: &Id, seen: &Seen) {
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

fn read_entry(rest: &mut &[u8]) -> Option<(Id, Seen)> {
    let id = match u32::from_le_bytes(fixed(rest)?) {
        UUID => Id::from_uuid(fixed(rest)?),
        length => {
            let (text, after) = rest.split_at_checked(length as usize)?;
            *rest = after;
            Id::from_bytes(text)
        }
    };
    let (receipts, rows) = (u32::from_le_bytes(fixed(rest)?), u32::from_le_bytes(fixed(rest)?));
    let [flags] = fixed(rest)?;
    let state = match flags & 3 {
        0 => State::Unknown,
        1 => State::Failed,
        2 => State::Pending,
        _ => State::Acked,
    };
    let mut at = || fixed(rest).map(i64::from_le_bytes).map(Micros);
    let (acked, created, first) = (at()?, at()?, at()?);
    Some((id, Seen { receipts, rows, state, short: flags & 4 != 0, acked, created, first }))
}

fn fixed<const N: usize>(rest: &mut &[u8]) -> Option<[u8; N]> {
    let (head, tail) = rest.split_at_checked(N)?;
    *rest = tail;
    head.try_into().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn entry() -> impl Strategy<Value = (Id, Seen)> {
        let id =
            "[a-c]{0,3}|[0-9]{1,4}|[ab]{8}-aaaa-aaaa-aaaa-aaaaaaaaaaa[ab]".prop_map(|id| Id::from_text(&id));
        let state =
            proptest::sample::select(vec![State::Unknown, State::Failed, State::Pending, State::Acked]);
        let times = (any::<i64>(), any::<i64>(), any::<i64>());
        (id, any::<u32>(), any::<u32>(), state, any::<bool>(), times).prop_map(
            |(id, receipts, rows, state, short, (acked, created, first))| {
                let (acked, created, first) = (Micros(acked), Micros(created), Micros(first));
                (id, Seen { receipts, rows, state, short, acked, created, first })
            },
        )
    }

    proptest! {
        #[test]
        fn everything_comes_back_once_with_all_of_an_id_in_one_part(
            batches in proptest::collection::vec(proptest::collection::vec(entry(), 0..30), 1..4),
        ) {
            let (mut spill, parting) = (Spill::default(), Parting::default());
            for batch in &batches {
                spill.put(batch.iter().cloned(), &parting).unwrap();
            }
            let mut back = Vec::new();
            for part in 0..PARTS {
                for (id, seen) in spill.take(part).unwrap() {
                    prop_assert_eq!(parting.of(&id), part);
                    back.push((id, format!("{seen:?}")));
                }
                prop_assert!(spill.take(part).unwrap().is_empty());
            }
            let mut all: Vec<_> = batches.concat().into_iter().map(|(id, seen)| (id, format!("{seen:?}"))).collect();
            all.sort();
            back.sort();
            prop_assert_eq!(back, all);
        }
    }
}
