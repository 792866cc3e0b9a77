//! What needs no look-up but may come again: set aside in a temporary file until everything was read.
//!
//! Whether anything did is told by the hashes of the ids alone. By its first bits each goes to one of many lots, and at the
//! end lot after lot is sorted: all of it goes through memory in order, which costs a fraction of what asking for each id as
//! it comes would, where there are more of them than the processor's cache holds: a partitioned join, as in Shatdal, Kant,
//! Naughton, "Cache Conscious Algorithms for Relational Query Processing". Only where something has come again are the
//! entries themselves read, in the order in which they were written.

use super::filter::{Filters, mixed};
use super::{Seen, entry};
use crate::model::Id;
use hashbrown::{DefaultHashBuilder, HashSet};
use std::fs::File;
use std::hash::BuildHasher as _;
use std::io::{self, Read as _, Seek as _, SeekFrom, Write as _};
use std::ops::Range;

/// So many lots, by the first bits of the hash.
const LOT_BITS: u32 = 7;
const LOTS: usize = 1 << LOT_BITS;
/// So many hashes of a lot are written at a time; what is less needs no file.
const HASHES: usize = 1 << 10;
/// So many bytes of entries.
const CHUNK: usize = 1 << 16;
/// A lot with more hashes is looked through in several passes.
const PASS: usize = if cfg!(test) { 1 << 7 } else { 1 << 19 };
/// So many hashes that have come again are remembered at a time.
const AGAIN_MAX: usize = if cfg!(test) { 10 } else { 1 << 18 };

/// Where something is in the file, in bytes.
type Chunk = (u64, usize);

/// A part of what is set aside, and what was not written of it yet.
#[derive(Debug)]
struct Pile<T> {
    chunks: Vec<Chunk>,
    rest: Vec<T>,
}

impl<T> Default for Pile<T> {
    fn default() -> Self {
        Self { chunks: Vec::new(), rest: Vec::new() }
    }
}

/// A file without a name, gone when the run is, however it ends; made once something is written.
#[derive(Debug, Default)]
struct Scratch {
    file: Option<File>,
    end: u64,
}

impl Scratch {
    fn write(&mut self, bytes: &[u8]) -> io::Result<Chunk> {
        let file = match &mut self.file {
            Some(file) => file,
            None => self.file.insert(tempfile::tempfile()?),
        };
        file.seek(SeekFrom::Start(self.end))?;
        file.write_all(bytes)?;
        let chunk = (self.end, bytes.len());
        self.end += bytes.len() as u64;
        Ok(chunk)
    }

    fn read(&mut self, (start, length): Chunk, bytes: &mut Vec<u8>) -> io::Result<()> {
        let file = self.file.as_mut().ok_or(io::ErrorKind::UnexpectedEof)?;
        file.seek(SeekFrom::Start(start))?;
        bytes.resize(length, 0);
        file.read_exact(bytes)
    }
}

/// What was set aside.
#[derive(Debug, Default)]
pub struct Settled {
    scratch: Scratch,
    entries: Pile<u8>,
    lots: Vec<Pile<u64>>,
    hasher: DefaultHashBuilder,
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
            self.lots.resize_with(LOTS, Pile::default);
        }
        self.count += 1;
        let hash = self.hash(id);
        if let Some(filter) = &mut self.filter {
            filter.add_hash(hash);
        }
        let lot = &mut self.lots[lot(hash)];
        lot.rest.push(hash);
        if lot.rest.len() == HASHES {
            let bytes: Vec<u8> = lot.rest.drain(..).flat_map(u64::to_le_bytes).collect();
            lot.chunks.push(self.scratch.write(&bytes)?);
        }
        entry::write(&mut self.entries.rest, id, seen);
        if self.entries.rest.len() >= CHUNK {
            self.entries.chunks.push(self.scratch.write(&self.entries.rest)?);
            self.entries.rest.clear();
        }
        Ok(())
    }

    /// Whether nothing is here.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.count == 0
    }

    /// By what an id is known here. (One in a very great many ids is known by that of another.)
    #[must_use]
    pub fn hash(&self, id: &Id) -> u64 {
        hashed(&self.hasher, id)
    }

    /// Whether an id may be here. The first time that this is asked everything is looked through, for a filter of up to
    /// so many ids; with more, more answers are wrong.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn may_hold(&mut self, id: &Id, ids_max: usize) -> io::Result<bool> {
        if self.filter.is_none() {
            let mut filter = Filters::default();
            filter.begin(self.count.min(ids_max));
            for lot in 0..self.lots.len() {
                self.each_hash(lot, &mut |hash| filter.add_hash(hash))?;
            }
            self.filter = Some(filter);
        }
        let hash = self.hash(id);
        Ok(self.filter.as_ref().is_some_and(|filter| filter.may_hold_hash(hash)))
    }

    /// Hands over all that is here.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn each(&mut self, each: &mut dyn FnMut(&Id, &Seen)) -> io::Result<()> {
        self.tell(0..LOTS, 1, &HashSet::new(), &mut |id, seen, _| each(&id, &seen))
    }

    /// Everything was read: `true` where nothing that is here has come again. Else, or where it is `asked` for, all is
    /// handed over, and of each entry whether it is the only one under its hash; those in `held` count as another.
    ///
    /// # Errors
    /// If the file cannot be read, or does not hold what was written.
    pub fn recall(
        mut self,
        mut held: Vec<u64>,
        asked: bool,
        each: &mut dyn FnMut(Id, Seen, bool),
    ) -> io::Result<bool> {
        self.filter = None;
        held.sort_unstable();
        let longest = self.lots.iter().map(Pile::len).max().unwrap_or(0);
        let passes = longest / PASS + 1;
        let (mut again, mut hashes, mut told) = (HashSet::new(), Vec::new(), 0);
        for part in 0..self.lots.len() * passes {
            self.part_of_lot(part, passes, &mut hashes)?;
            hashes.sort_unstable();
            again.extend(hashes.windows(2).filter(|two| two[0] == two[1]).map(|two| two[0]));
            again.extend(common(&hashes, &held));
            if again.len() >= AGAIN_MAX {
                self.tell(told..part + 1, passes, &again, each)?;
                told = part + 1;
                again.clear();
            }
        }
        if told == 0 && again.is_empty() && !asked {
            return Ok(true);
        }
        self.tell(told..self.lots.len() * passes, passes, &again, each)?;
        Ok(false)
    }

    /// The hashes of a lot that one of its passes looks at.
    fn part_of_lot(&mut self, part: usize, passes: usize, hashes: &mut Vec<u64>) -> io::Result<()> {
        hashes.clear();
        self.each_hash(part / passes, &mut |hash| {
            if part_of(hash, passes) == part {
                hashes.push(hash);
            }
        })
    }

    fn each_hash(&mut self, lot: usize, each: &mut dyn FnMut(u64)) -> io::Result<()> {
        let (lot, mut bytes) = (&self.lots[lot], Vec::new());
        for chunk in &lot.chunks {
            self.scratch.read(*chunk, &mut bytes)?;
            let (hashes, _) = bytes.as_chunks();
            hashes.iter().for_each(|hash| each(u64::from_le_bytes(*hash)));
        }
        lot.rest.iter().for_each(|hash| each(*hash));
        Ok(())
    }

    /// Hands over the entries of some parts.
    fn tell(
        &mut self,
        parts: Range<usize>,
        passes: usize,
        again: &HashSet<u64>,
        each: &mut dyn FnMut(Id, Seen, bool),
    ) -> io::Result<()> {
        let Self { scratch, entries, hasher, .. } = self;
        let mut bytes = Vec::new();
        for place in 0..=entries.chunks.len() {
            let mut rest = match entries.chunks.get(place) {
                Some(chunk) => {
                    scratch.read(*chunk, &mut bytes)?;
                    bytes.as_slice()
                }
                None => &entries.rest,
            };
            while !rest.is_empty() {
                let (id, seen, _) = entry::read(&mut rest)?;
                let hash = hashed(hasher, &id);
                if parts.contains(&part_of(hash, passes)) {
                    each(id, seen, !again.contains(&hash));
                }
            }
        }
        Ok(())
    }
}

impl Pile<u64> {
    fn len(&self) -> usize {
        self.chunks.len() * HASHES + self.rest.len()
    }
}

fn hashed(hasher: &DefaultHashBuilder, id: &Id) -> u64 {
    mixed(hasher.hash_one(id))
}

fn lot(hash: u64) -> usize {
    usize::try_from(hash >> (u64::BITS - LOT_BITS)).unwrap_or_default()
}

/// Which part of all a hash belongs to, where each lot has so many.
fn part_of(hash: u64, passes: usize) -> usize {
    lot(hash) * passes + usize::try_from(hash % passes as u64).unwrap_or_default()
}

/// What both have; both are sorted.
fn common<'h>(few: &'h [u64], many: &'h [u64]) -> impl Iterator<Item = u64> + 'h {
    let begin = few.first().map_or(0, |first| many.partition_point(|hash| hash < first));
    let end = few.last().map_or(0, |last| many.partition_point(|hash| hash <= last));
    many[begin..end.max(begin)].iter().copied().filter(|hash| few.binary_search(hash).is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeMap;

    fn told(settled: Settled, held: Vec<u64>, asked: bool) -> (bool, Vec<(Id, String, bool)>) {
        let mut back = Vec::new();
        let stands = settled.recall(held, asked, &mut |id, seen, alone| {
            back.push((id, format!("{seen:?}"), alone));
        });
        back.sort();
        (stands.unwrap(), back)
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn everything_comes_back_where_something_came_twice(
            entries in proptest::collection::vec(entry::any(), 0..200),
            held in proptest::collection::vec("[a-c]{0,3}", 0..3),
            more in 0_i128..60_000,
            asked in any::<bool>(),
        ) {
            // Enough to fill chunks, with ids of their own.
            let more = (0..more).map(|number| (Id::from_integer(10_000 + number), Seen::of_receipt(None)));
            let entries: Vec<_> = entries.into_iter().chain(more).collect();
            let (mut settled, mut times) = (Settled::default(), BTreeMap::<_, u32>::new());
            for (id, seen) in &entries {
                settled.add(id, seen).unwrap();
                *times.entry(id.clone()).or_default() += 1;
            }
            let held: Vec<_> = held.iter().map(|id| Id::from_text(id)).collect();
            held.iter().for_each(|id| *times.entry(id.clone()).or_default() += 1);
            let again = entries.iter().any(|(id, _)| times[id] > 1);
            let held = held.iter().map(|id| settled.hash(id)).collect();
            let (stands, back) = told(settled, held, asked);
            prop_assert_eq!(stands, !again && !asked);
            let all = entries.iter().map(|(id, seen)| (id.clone(), format!("{seen:?}"), times[id] == 1));
            let mut all: Vec<_> = if stands { Vec::new() } else { all.collect() };
            all.sort();
            prop_assert_eq!(back, all);
        }
    }

    #[test]
    fn what_is_here_may_be_asked_for_while_more_comes() {
        let mut settled = Settled::default();
        assert!(settled.is_empty());
        let ids = |from| (from..from + 50_000).map(Id::from_integer);
        let add = |settled: &mut Settled, id: &Id| settled.add(id, &Seen::of_receipt(None)).unwrap();
        ids(0).for_each(|id| add(&mut settled, &id));
        assert!(ids(0).all(|id| settled.may_hold(&id, 100_000).unwrap()));
        assert!(ids(1_000_000).filter(|id| settled.may_hold(id, 100_000).unwrap()).count() < 2_500);
        ids(50_000).for_each(|id| add(&mut settled, &id));
        assert!(ids(50_000).all(|id| settled.may_hold(&id, 100_000).unwrap()));
    }
}
