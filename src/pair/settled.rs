//! What needs no look-up but may come again: set aside in little room until everything was read, and then looked through
//! for ids that stand there twice.
//!
//! By a hash of its id each entry goes to one of many lots, which are written to a temporary file without a name as they
//! grow. At the end lot after lot is sorted by the hashes. Both go through memory in order, which costs a fraction of what
//! asking for each id as it comes would, where there are more of them than the processor's cache holds: a partitioned
//! join, as in Shatdal, Kant, Naughton, "Cache Conscious Algorithms for Relational Query Processing".

use super::filter::{Filters, mixed};
use super::{Seen, entry};
use crate::model::Id;
use hashbrown::DefaultHashBuilder;
use std::fs::File;
use std::hash::BuildHasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};

/// So many lots, by the first bits of the hash.
const LOT_BITS: u32 = 7;
/// So many bytes of a lot are written at a time; what is less needs no file.
const CHUNK: usize = 1 << 13;
/// A lot that is longer is looked through in several passes, each over a part of the hashes.
const PASS: u64 = if cfg!(test) { 1 << 10 } else { 1 << 24 };

#[derive(Debug, Default)]
struct Lot {
    /// Where its chunks are in the file, and how long each is.
    chunks: Vec<(u64, u32)>,
    /// What was not written yet.
    bytes: Vec<u8>,
}

/// What was set aside.
#[derive(Debug, Default)]
pub struct Settled {
    lots: Vec<Lot>,
    file: Option<File>,
    end: u64,
    hasher: DefaultHashBuilder,
    /// The last entry, while it is written.
    entry: Vec<u8>,
    count: usize,
    /// Which ids are here, once somebody has asked.
    filter: Option<Filters>,
}

impl Settled {
    /// Sets aside what was seen of an id.
    ///
    /// # Errors
    /// If the temporary folder cannot be written to, or is full.
    pub fn add(&mut self, id: &Id, seen: &Seen) -> io::Result<()> {
        if self.lots.is_empty() {
            self.lots.resize_with(1 << LOT_BITS, Lot::default);
        }
        self.count += 1;
        if let Some(filter) = &mut self.filter {
            filter.add(id);
        }
        self.entry.clear();
        entry::write(&mut self.entry, id, seen);
        let hash = entry::measure(&self.entry).map_or(0, |(_, key)| self.hash(key));
        let lot = usize::try_from(hash >> (u64::BITS - LOT_BITS)).unwrap_or_default();
        let lot = &mut self.lots[lot];
        lot.bytes.extend_from_slice(&self.entry);
        if lot.bytes.len() < CHUNK {
            return Ok(());
        }
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(&lot.bytes)?;
        lot.chunks.push((self.end, u32::try_from(lot.bytes.len()).unwrap_or(u32::MAX)));
        self.end += lot.bytes.len() as u64;
        lot.bytes.clear();
        Ok(())
    }

    /// Whether an id may be here. The first time that this is asked everything is looked through, for a filter of up to
    /// so many ids; with more, more answers are wrong.
    ///
    /// # Errors
    /// As for [`Settled::recall`].
    pub fn may_hold(&mut self, id: &Id, ids_max: usize) -> io::Result<bool> {
        if self.filter.is_none() {
            let mut filter = Filters::default();
            filter.begin(self.count.min(ids_max));
            for lot in &self.lots {
                each_chunk(self.file.as_mut(), lot, &mut |bytes| {
                    let mut rest = bytes;
                    while !rest.is_empty() {
                        filter.add(&entry::read(&mut rest)?.0);
                    }
                    Ok(())
                })?;
            }
            self.filter = Some(filter);
        }
        Ok(self.filter.as_ref().is_some_and(|filter| filter.may_hold(id)))
    }

    fn hash(&self, key: &[u8]) -> u64 {
        mixed(self.hasher.hash_one(key))
    }

    /// Hands over everything, and of each entry whether it is the only one with its id. (One in a very great many is said
    /// not to be though it is.)
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold what was written.
    pub fn recall(mut self, each: &mut dyn FnMut(Id, Seen, bool)) -> io::Result<()> {
        let (mut bytes, mut places) = (Vec::new(), Vec::new());
        self.filter = None;
        for lot in std::mem::take(&mut self.lots) {
            let passes = lot.length() / PASS + 1;
            for pass in 0..passes {
                self.load(&lot, (pass, passes), &mut bytes, &mut places)?;
                places.sort_unstable();
                for same in places.chunk_by(|(one, _), (other, _)| one == other) {
                    for (_, place) in same {
                        let (id, seen, _) = entry::read(&mut &bytes[*place..])?;
                        each(id, seen, same.len() == 1);
                    }
                }
            }
        }
        Ok(())
    }

    /// The entries of a lot that one of the passes looks at, their hashes and where each begins.
    fn load(
        &mut self,
        lot: &Lot,
        (pass, passes): (u64, u64),
        bytes: &mut Vec<u8>,
        places: &mut Vec<(u64, usize)>,
    ) -> io::Result<()> {
        bytes.clear();
        places.clear();
        let mut file = self.file.take();
        let outcome = each_chunk(file.as_mut(), lot, &mut |mut chunk| {
            while !chunk.is_empty() {
                let (length, key) = entry::measure(chunk).ok_or(io::ErrorKind::InvalidData)?;
                let (entry, rest) = chunk.split_at_checked(length).ok_or(io::ErrorKind::InvalidData)?;
                let hash = self.hash(key);
                if hash % passes == pass {
                    places.push((hash, bytes.len()));
                    bytes.extend_from_slice(entry);
                }
                chunk = rest;
            }
            Ok(())
        });
        self.file = file;
        outcome
    }
}

impl Lot {
    fn length(&self) -> u64 {
        self.chunks.iter().map(|(_, length)| u64::from(*length)).sum::<u64>() + self.bytes.len() as u64
    }
}

/// Hands over a lot chunk by chunk; no entry lies in two.
fn each_chunk(
    mut file: Option<&mut File>,
    lot: &Lot,
    each: &mut dyn FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<()> {
    let mut chunk = Vec::new();
    for (start, length) in &lot.chunks {
        let Some(file) = &mut file else { return Err(io::ErrorKind::UnexpectedEof.into()) };
        file.seek(SeekFrom::Start(*start))?;
        chunk.resize(*length as usize, 0);
        file.read_exact(&mut chunk)?;
        each(&chunk)?;
    }
    each(&lot.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn everything_comes_back_and_what_came_twice_is_known(
            entries in proptest::collection::vec(entry::any(), 0..200),
            more in 0_i128..60_000,
        ) {
            // Enough to fill chunks, with ids of their own.
            let more = (0..more).map(|number| (Id::from_integer(10_000 + number), Seen::of_receipt(None)));
            let entries: Vec<_> = entries.into_iter().chain(more).collect();
            let (mut settled, mut times) = (Settled::default(), BTreeMap::<_, u32>::new());
            for (id, seen) in &entries {
                settled.add(id, seen).unwrap();
                *times.entry(id.clone()).or_default() += 1;
            }
            prop_assert!(entries.iter().take(20).all(|(id, _)| settled.may_hold(id, 1_000).unwrap()));
            settled.add(&Id::from_text("later"), &Seen::of_receipt(None)).unwrap();
            prop_assert!(settled.may_hold(&Id::from_text("later"), 1_000).unwrap());
            let mut back = Vec::new();
            settled.recall(&mut |id, seen, alone| back.push((id, format!("{seen:?}"), alone))).unwrap();
            let all = entries.iter().map(|(id, seen)| (id.clone(), format!("{seen:?}"), times[id] == 1));
            let mut all: Vec<_> = all.collect();
            all.push((Id::from_text("later"), format!("{:?}", Seen::of_receipt(None)), true));
            all.sort();
            back.sort();
            prop_assert_eq!(back, all);
        }
    }
}
