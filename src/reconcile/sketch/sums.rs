//! Both sides of each consumer, added up.

use super::{NotShown, Sketching, around, moved};
use crate::model::{Event, Receipt, Span};
use crate::sketch::{Digest, Sketch};
use crate::source::SourceError;
use futures_util::future::try_join_all;

/// One consumer's sums.
pub(super) struct Sums {
    place: usize,
    /// Where both sides were added up.
    pub(super) span: Span,
    /// Events of the range that the consumer must see.
    events: Sketch,
    /// Its receipts of the span.
    receipts: Sketch,
    /// All events of the span that it must see, minus its receipts.
    difference: Sketch,
}

impl Sums {
    fn new(place: usize, span: Span, buckets: u32) -> Self {
        let nothing = Sketch::new(buckets);
        Self { place, span, events: nothing.clone(), receipts: nothing.clone(), difference: nothing }
    }

    pub(super) fn differing(&self) -> impl Iterator<Item = u32> {
        self.difference.differing()
    }

    /// Whether the rows that were read of these buckets are those that were added up.
    pub(super) fn fits(&self, events: &[Event], receipts: &[Receipt], wanted: &[u32]) -> bool {
        let mine = events.iter().filter(|row| row.expected_by >> self.place & 1 == 1);
        let here = receipts.iter().filter(|row| row.consumed.at().is_none_or(|at| self.span.contains(at)));
        let ids = events.iter().map(|row| &row.id).chain(receipts.iter().map(|row| &row.id));
        let known = |bucket| wanted.binary_search(&bucket).is_ok();
        ids.flatten().all(|id| known(Digest::of(id).bucket(self.events.buckets())))
            && count(mine.count()) == rows_in(&self.events, wanted)
            && count(here.count()) == rows_in(&self.receipts, wanted)
    }

    /// How many receipts of the buckets that agree are of messages outside the range, if so many events of it are left
    /// there; `None` where it is another number.
    pub(super) fn agreed(&self, wanted: &[u32], events: u64) -> Option<u64> {
        let left = |sketch: &Sketch| sketch.rows() - rows_in(sketch, wanted);
        let own = left(&self.events);
        (u64::try_from(own).ok()? == events).then(|| u64::try_from(left(&self.receipts) - own).ok())?
    }
}

fn count(rows: usize) -> i64 {
    i64::try_from(rows).unwrap_or(i64::MAX)
}

fn rows_in(sketch: &Sketch, buckets: &[u32]) -> i64 {
    buckets.iter().map(|bucket| sketch.rows_in(*bucket)).sum()
}

impl Sketching<'_> {
    /// Adds both sides up, and ends early where nearly everything differs.
    pub(super) async fn sums(&self) -> Result<Vec<Sums>, NotShown> {
        let range = self.rules.span;
        let mut sums: Vec<Sums> = (0..self.consumers.len())
            .map(|place| Sums::new(place, self.compared(place), self.buckets))
            .collect();
        let slices = self.slices();
        let all = slices.len().max(1);
        for (number, slice) in slices.into_iter().enumerate() {
            self.add(&mut sums, slice, true).await?;
            let worst = sums.iter().map(|sums| sums.differing().count()).max().unwrap_or(0);
            // What is on its way at the end of a slice comes in the next.
            self.not_full(worst / 2)?;
            #[expect(clippy::cast_precision_loss, reason = "a share for a progress bar")]
            self.progress((number + 1) as f64 / all as f64);
        }
        for place in 0..sums.len() {
            for slice in around(sums[place].span, range).flat_map(|span| pieces(span, range.micros())) {
                self.add(&mut sums[place..=place], slice, false).await?;
            }
        }
        for (place, sums) in sums.iter().enumerate() {
            let counted = self.counted.iter().filter(|counted| counted.expected_by >> place & 1 == 1);
            let counted: u64 = counted.map(|counted| counted.rows).sum();
            (i64::try_from(counted) == Ok(sums.events.rows())).then_some(()).ok_or_else(moved)?;
        }
        Ok(sums)
    }

    /// Where the consumer's side is compared: see the head of [`super`].
    fn compared(&self, place: usize) -> Span {
        let unique = self.rules.consumers[place].receipt_ids_unique;
        if unique { self.rules.span } else { self.receipts_span(place) }
    }

    /// Adds a piece of the span, both sides at the same time; consumers that expect the same share the events.
    async fn add(&self, sums: &mut [Sums], slice: Span, inside: bool) -> Result<(), SourceError> {
        let expects = |sums: &Sums| self.reading.plan.flow.consumers[sums.place].expects.as_ref();
        let mut sorts: Vec<usize> = Vec::new();
        for sum in sums.iter() {
            if !sorts.iter().any(|place| expects(&sums[*place]) == expects(sum)) {
                sorts.push(sum.place - sums[0].place);
            }
        }
        let events = try_join_all(sorts.iter().map(|sort| self.events(sums[*sort].place, slice)));
        let receipts = try_join_all(sums.iter().map(|sums| self.of_consumer(sums.place, slice)));
        let (events, receipts) = tokio::try_join!(events, receipts)?;
        let of: Vec<usize> = sums
            .iter()
            .map(|sum| sorts.iter().position(|sort| expects(&sums[*sort]) == expects(sum)).unwrap_or(0))
            .collect();
        for ((sums, receipts), sort) in sums.iter_mut().zip(receipts).zip(of) {
            sums.difference.merge(&events[sort]);
            sums.difference.subtract(&receipts);
            sums.receipts.merge(&receipts);
            if inside {
                sums.events.merge(&events[sort]);
            }
        }
        Ok(())
    }

    async fn events(&self, owed_to: usize, slice: Span) -> Result<Sketch, SourceError> {
        let tables = self.reading.producer.tables.iter();
        let parts =
            try_join_all(tables.map(|table| table.sketch(slice, Some(owed_to), self.buckets))).await?;
        Ok(self.merged(&parts))
    }

    async fn of_consumer(&self, place: usize, slice: Span) -> Result<Sketch, SourceError> {
        let tables = self.consumers[place].receipts.iter();
        let parts = try_join_all(tables.map(|table| table.sketch(slice, self.buckets))).await?;
        Ok(self.merged(&parts))
    }

    fn merged(&self, parts: &[Sketch]) -> Sketch {
        let mut all = Sketch::new(self.buckets);
        parts.iter().for_each(|part| all.merge(part));
        all
    }
}

/// A span in pieces of at most this many microseconds.
fn pieces(span: Span, micros: i64) -> impl Iterator<Item = Span> {
    let next = move |from: crate::model::Micros| (from < span.until).then(|| from.plus(micros.max(1)));
    let starts =
        std::iter::successors(Some(span.from), move |from| next(*from).filter(|next| *next < span.until));
    starts.map(move |from| Span::new(from, from.plus(micros.max(1)).min(span.until)))
}
