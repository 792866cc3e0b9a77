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

/// Into so many parts of their time rows are put at the most; a power of two.
const PARTS: usize = 1 << 10;

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

    /// Puts the rows nearly into the order of time: each among those of the same thousandth of the time that all of
    /// them span. A counting sort; what is in order already stays as it is.
    pub fn arrange(&mut self) {
        if self.rows.is_sorted_by_key(|row| row.at) {
            return;
        }
        let (first, last) = self
            .rows
            .iter()
            .fold((i64::MAX, i64::MIN), |(first, last), row| (first.min(row.at.0), last.max(row.at.0)));
        let span = last.abs_diff(first);
        let narrowed = (u64::BITS - span.leading_zeros()).saturating_sub(PARTS.ilog2());
        let part = |row: &Slim| usize::try_from(row.at.0.abs_diff(first) >> narrowed).unwrap_or(PARTS - 1);
        let mut places = [0; PARTS + 1];
        self.rows.iter().for_each(|row| places[part(row) + 1] += 1);
        for place in 1..PARTS {
            places[place] += places[place - 1];
        }
        let mut arranged = self.rows.clone();
        for row in &self.rows {
            let place = &mut places[part(row)];
            arranged[*place] = *row;
            *place += 1;
        }
        self.rows = arranged;
    }

    /// Takes in all rows of another; `false`: the buffer cannot hold them, none was taken.
    #[must_use]
    pub fn append(&mut self, other: &Self) -> bool {
        let Ok(moved) = u32::try_from(self.text.len()) else { return false };
        if u32::try_from(self.text.len() + other.text.len()).is_err() {
            return false;
        }
        self.text.extend_from_slice(&other.text);
        self.rows.extend(other.rows.iter().map(|row| row.moved(moved)));
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
        fn arranged_rows_are_all_there_and_nearly_in_order(
            times in proptest::collection::vec(prop_oneof![0_i64..20, 0_i64..4_000_000, any::<i64>()], 0..300),
        ) {
            let mut bulk = Bulk::default();
            for (place, at) in times.iter().enumerate() {
                assert!(bulk.push(format!("{place}").as_bytes(), Micros(*at)));
            }
            bulk.arrange();
            let mut back: Vec<_> = bulk.rows().iter().map(|row| (bulk.id(row).to_string(), row.at.0)).collect();
            let span = times.iter().max().zip(times.iter().min()).map_or(0, |(last, first)| last.abs_diff(*first));
            let mut latest = i64::MIN;
            for (_, at) in &back {
                latest = latest.max(*at);
                prop_assert!(latest.abs_diff(*at) <= span / 512, "{} behind {}", at, latest);
            }
            back.sort();
            let mut all: Vec<_> = times.iter().enumerate().map(|(place, at)| (place.to_string(), *at)).collect();
            all.sort();
            prop_assert_eq!(back, all);
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
