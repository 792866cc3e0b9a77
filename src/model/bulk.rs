//! Many rows in little room: an id and an instant each, the ids' bytes in one buffer.

use super::event::Stamp;
use super::{Id, Micros, Receipt};

/// An id as it stands in a [`Bulk`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// Canonical UUID text, or a native UUID.
    Uuid([u8; 16]),
    /// Anything else: a place in the buffer.
    Text { start: u32, len: u32 },
}

/// One row: 32 bytes.
#[derive(Clone, Copy, Debug)]
pub struct Slim {
    key: Key,
    /// The ack of an event, the consumption of a receipt.
    pub at: Micros,
}

impl Slim {
    fn moved(self, by: u32) -> Self {
        match self.key {
            Key::Uuid(_) => self,
            Key::Text { start, len } => Self { key: Key::Text { start: start + by, len }, at: self.at },
        }
    }
}

/// Acked events of a slice, in the short form.
#[derive(Clone, Debug, Default)]
pub struct ShortEvents {
    /// Ids and ack times.
    pub rows: Bulk,
    /// As in [`super::Event`].
    pub expected_by: u64,
    /// Whether the rows have creation times that were not read.
    pub created_unread: bool,
}

/// Rows of one slice, in the order in which they came.
#[derive(Clone, Debug, Default)]
pub struct Bulk {
    rows: Vec<Slim>,
    text: Vec<u8>,
}

impl Bulk {
    /// Room for so many rows.
    #[must_use]
    pub fn with_capacity(rows: usize) -> Self {
        Self { rows: Vec::with_capacity(rows), text: Vec::new() }
    }

    /// Takes in a row by the exact bytes of its id, as [`Id::from_bytes`] takes them. `false`: the buffer is full, the
    /// row was not taken.
    #[must_use]
    pub fn push(&mut self, id: &[u8], at: Micros) -> bool {
        if let Some(uuid) = super::id::canonical_uuid(id) {
            self.push_uuid(uuid, at);
            return true;
        }
        let (Ok(start), Ok(len)) = (u32::try_from(self.text.len()), u32::try_from(id.len())) else {
            return false;
        };
        self.text.extend_from_slice(id);
        self.rows.push(Slim { key: Key::Text { start, len }, at });
        true
    }

    /// Takes in a row by its id; `false` as for [`Bulk::push`].
    #[must_use]
    pub fn push_id(&mut self, id: &Id, at: Micros) -> bool {
        match id.as_uuid() {
            Some(uuid) => {
                self.push_uuid(uuid, at);
                true
            }
            None => self.push(&id.to_bytes(), at),
        }
    }

    /// Takes in a row whose id is a UUID.
    pub fn push_uuid(&mut self, uuid: [u8; 16], at: Micros) {
        self.rows.push(Slim { key: Key::Uuid(uuid), at });
    }

    /// Keeps the rows whose instant is wanted.
    pub fn retain(&mut self, mut wanted: impl FnMut(Micros) -> bool) {
        self.rows.retain(|row| wanted(row.at));
    }

    /// Where rows begin that are in the order of time among themselves, and where all end: `[0, n]` if all are, as those of
    /// one table; those of several stand one behind the other.
    #[must_use]
    pub fn runs(&self) -> Vec<usize> {
        let fallen = |(place, two): (usize, &[Slim])| (two[1].at < two[0].at).then_some(place + 1);
        let begins = self.rows.windows(2).enumerate().filter_map(fallen);
        std::iter::once(0).chain(begins).chain([self.rows.len()]).collect()
    }

    /// Takes in all rows of another; `false`: the buffer cannot hold them, none was taken.
    #[must_use]
    pub fn append(&mut self, other: &Self) -> bool {
        let Ok(moved) = u32::try_from(self.text.len()) else { return false };
        if u32::try_from(self.text.len() + other.text.len()).is_err() {
            return false;
        }
        self.text.extend_from_slice(&other.text);
        if other.text.is_empty() {
            self.rows.extend_from_slice(&other.rows);
        } else {
            self.rows.extend(other.rows.iter().map(|row| row.moved(moved)));
        }
        true
    }

    /// The rows.
    #[must_use]
    pub fn rows(&self) -> &[Slim] {
        &self.rows
    }

    /// How many rows.
    #[must_use]
    pub fn len(&self) -> usize {
        self.rows.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.rows.is_empty()
    }

    /// The id of one of this bulk's rows.
    #[must_use]
    pub fn id(&self, row: &Slim) -> Id {
        match row.key {
            Key::Uuid(uuid) => Id::from_uuid(uuid),
            Key::Text { .. } => Id::from_bytes(self.bytes(row)),
        }
    }

    /// The rows as receipts.
    pub fn receipts(&self) -> impl Iterator<Item = Receipt> {
        self.rows.iter().map(|row| Receipt { id: Some(self.id(row)), consumed: Stamp::At(row.at) })
    }

    /// What tells the id of one of this bulk's rows from all others: two rows have the same id exactly if these bytes
    /// are equal and both or neither are of a UUID.
    #[must_use]
    pub fn bytes<'b>(&'b self, row: &'b Slim) -> &'b [u8] {
        match &row.key {
            Key::Uuid(uuid) => uuid,
            Key::Text { start, len } => {
                let from = *start as usize;
                self.text.get(from..from + *len as usize).unwrap_or_default()
            }
        }
    }

    /// Whether a row of this bulk and one of another have the same id, byte by byte.
    #[must_use]
    pub fn same(&self, row: &Slim, other: &Self, theirs: &Slim) -> bool {
        match (&row.key, &theirs.key) {
            (Key::Uuid(uuid), Key::Uuid(other)) => uuid == other,
            (Key::Text { .. }, Key::Text { .. }) => self.bytes(row) == other.bytes(theirs),
            _ => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_row_costs_little() {
        assert_eq!(size_of::<Slim>(), 32);
    }

    #[test]
    fn sixteen_bytes_are_not_the_uuid_that_they_spell() {
        let uuid = *b"0123456789abcdef";
        let (mut one, mut other) = (Bulk::default(), Bulk::default());
        one.push_uuid(uuid, Micros(1));
        assert!(other.push(&uuid, Micros(2)));
        assert!(!one.same(&one.rows()[0], &other, &other.rows()[0]));
        assert_ne!(one.id(&one.rows()[0]), other.id(&other.rows()[0]));
    }

    proptest! {
        #[test]
        fn runs_are_in_order_and_as_long_as_they_can_be(times in proptest::collection::vec(0_i64..9, 0..40)) {
            let mut bulk = Bulk::default();
            times.iter().for_each(|at| bulk.push_uuid([0; 16], Micros(*at)));
            let runs = bulk.runs();
            prop_assert_eq!((runs[0], *runs.last().unwrap()), (0, times.len()));
            for run in runs.windows(2) {
                prop_assert!(times[run[0]..run[1]].is_sorted());
                prop_assert!(run[1] == times.len() || times[run[1]] < times[run[1] - 1]);
            }
        }

        #[test]
        fn rows_are_the_same_exactly_if_their_ids_are(
            ids in proptest::collection::vec("[ab]{0,2}|[0-9]{1,3}|[ab]{8}-aaaa-aaaa-aaaa-[ab]{1}aaaaaaaaaaa", 2..20),
        ) {
            let (mut left, mut right) = (Bulk::default(), Bulk::default());
            for id in &ids {
                prop_assert!(left.push(id.as_bytes(), Micros(0)) && right.push(id.as_bytes(), Micros(1)));
            }
            for (id, row) in ids.iter().zip(left.rows()) {
                prop_assert_eq!(left.id(row), Id::from_text(id));
                for (theirs, other) in ids.iter().zip(right.rows()) {
                    prop_assert_eq!(left.same(row, &right, other), id == theirs);
                }
            }
        }
    }
}
