//! The first pass where the servers add ids up: both sides' sums, bucket by bucket, and only the rows of buckets that
//! differ. Nothing is entered in the books before all of it is known to fit together; else the rows are streamed.
//!
//! What makes it sound:
//! - A bucket is entered by its rows for every consumer, or by its number alone for every consumer. So whatever id a row
//!   is read of, for whatever reason, its bucket's rows are read too.
//! - Sums are over one span on both sides, and equal sums mean equal ids, each equally often. Where receipts have a unique
//!   index that span is the range: each event there has its receipt, and there is no other one. Where only events have
//!   one, a message may be consumed again at any time: the span goes on to now, and each id that agrees has one receipt.
//! - The rows of a bucket are read after its sums. If they are not as many, or the windows not as full, something moved
//!   in between, and the sums are worth nothing.

mod sums;

use super::Step;
use super::read::Reading;
use super::sources::ConsumerTables;
use crate::book::FlowBook;
use crate::model::window::position;
use crate::model::{DeadLetter, Event, Id, Receipt, Span, Window};
use crate::plan::FlowRules;
use crate::sketch::{self, Digest};
use crate::source::{Counted, SourceError};
use futures_util::future::{try_join, try_join_all};
use std::collections::BTreeSet;
use sums::Sums;

/// So many events are added up by one statement, unless a single window holds more.
const ROWS_WANTED: u64 = 2_500_000;
/// So many rows of one table are read beside the sums; more of them are streamed.
const PICKED_MAX: usize = 200_000;

/// What a sketch has shown, ready for the books.
#[derive(Debug, Default)]
pub(super) struct Shown {
    events: Vec<Event>,
    /// In the order of the consumers, as the rest.
    receipts: Vec<Vec<Receipt>>,
    dead_letters: Vec<Vec<DeadLetter>>,
    /// Events by window that were not read.
    agreed: Vec<u64>,
    /// The same by consumer: those that it must see.
    agreed_at: Vec<Vec<u64>>,
    /// Receipts outside the range that were not read.
    outside: Vec<u64>,
    /// How many buckets there were, and how many of them differed or hold a row that was read for another reason.
    pub(super) buckets: u32,
    pub(super) looked_into: usize,
}

/// Why no sketch could be used.
#[derive(Debug)]
pub(super) struct NotShown(pub(super) String);

impl From<SourceError> for NotShown {
    fn from(error: SourceError) -> Self {
        Self(error.to_string())
    }
}

impl Shown {
    /// Enters everything in the books.
    pub(super) fn enter(self, book: &mut FlowBook) {
        self.events.iter().for_each(|row| book.event(row));
        for (window, rows) in self.agreed.iter().enumerate() {
            book.agreed(window, *rows);
        }
        for (place, rows) in self.dead_letters.into_iter().enumerate() {
            rows.into_iter().for_each(|row| book.dead_letter(place, row));
        }
        for (place, rows) in self.receipts.into_iter().enumerate() {
            rows.into_iter().for_each(|row| book.receipt(place, row));
        }
        for (place, windows) in self.agreed_at.iter().enumerate() {
            windows.iter().enumerate().for_each(|(window, rows)| book.agreed_at(place, window, *rows));
        }
        self.outside.iter().enumerate().for_each(|(place, rows)| book.outside(place, *rows));
    }

    /// How many rows were read for it.
    pub(super) fn rows(&self) -> u64 {
        let of_consumers = self.receipts.iter().map(Vec::len).chain(self.dead_letters.iter().map(Vec::len));
        (self.events.len() + of_consumers.sum::<usize>()) as u64
    }
}

/// What is the same for the whole of one reading.
struct Sketching<'a> {
    reading: &'a Reading<'a>,
    rules: &'a FlowRules,
    consumers: Vec<&'a ConsumerTables>,
    counted: Vec<Counted>,
    buckets: u32,
}

/// Rows of buckets that differ.
struct Picked {
    events: Vec<Event>,
    receipts: Vec<Vec<Receipt>>,
}

impl Reading<'_> {
    /// What in the tables keeps the flow from being read by a sketch.
    pub(super) fn sketch_obstacle(&self, rules: &FlowRules) -> Option<String> {
        let events = self.producer.tables.iter().find_map(|table| table.sketch_obstacle());
        let everybody = self.plan.flow.consumers.iter().any(|consumer| consumer.expects.is_none());
        let uncounted = || {
            let twice = !rules.event_ids_unique && !everybody;
            twice.then(|| "event ids have no unique index, and no consumer must see every event".to_owned())
        };
        let of = |(place, tables): (usize, &Option<ConsumerTables>)| {
            let name = &rules.consumers[place].name;
            let Some(tables) = tables else { return Some(format!("consumer `{name}` could not be opened")) };
            let own = tables.receipts.iter().find_map(|table| table.sketch_obstacle());
            let twice = !rules.consumers[place].receipt_ids_unique && !rules.event_ids_unique;
            let own = own.or_else(|| twice.then(|| TWICE.to_owned()));
            own.map(|why| format!("consumer `{name}`: {why}"))
        };
        events.or_else(uncounted).or_else(|| self.consumers.iter().enumerate().find_map(of))
    }

    /// Reads everything by its sums. `aside` are ids of rows that are entered anyway.
    pub(super) async fn sketch(&self, rules: &FlowRules, aside: &[&Id]) -> Result<Shown, NotShown> {
        self.check_digests().await?;
        let consumers: Vec<_> = self.consumers.iter().flatten().collect();
        let counted = try_join_all(self.producer.tables.iter().map(|table| table.counts(&rules.windows)));
        let counted: Vec<_> = counted.await?.into_iter().flatten().collect();
        let rows = counted.iter().map(|counted| counted.rows).sum();
        let buckets = sketch::buckets(rows, None);
        let sketching = Sketching { reading: self, rules, consumers, counted, buckets };
        sketching.run(aside).await
    }

    /// Holds the servers' digests of some ids against those that are made here.
    pub(super) async fn check_digests(&self) -> Result<(), NotShown> {
        for table in &self.producer.tables {
            agrees("events", table.sketch_check().await?)?;
        }
        for (consumer, tables) in self.plan.flow.consumers.iter().zip(self.consumers) {
            for table in tables.iter().flat_map(|tables| &tables.receipts) {
                agrees(&format!("consumer `{}`", consumer.name), table.sketch_check().await?)?;
            }
        }
        Ok(())
    }
}

const TWICE: &str = "neither its receipts nor the events have a unique index on the id in a single table, so that an id that both sides hold twice would pass for two messages";

fn agrees(whose: &str, wrong: Option<String>) -> Result<(), NotShown> {
    wrong.map_or(Ok(()), |wrong| Err(NotShown(format!("{whose}: {wrong}"))))
}

fn some<T>(rows: Option<T>) -> Result<T, NotShown> {
    rows.ok_or_else(|| {
        NotShown(format!("more than {PICKED_MAX} rows of a table would have to be looked into"))
    })
}

fn moved() -> NotShown {
    NotShown("rows changed between their sums and their reading".to_owned())
}

impl Sketching<'_> {
    async fn run(&self, aside: &[&Id]) -> Result<Shown, NotShown> {
        let mut shown = self.beside().await?;
        let mut wanted: BTreeSet<u32> = self.buckets_of(&shown, aside);
        let sums = self.sums().await?;
        sums.iter().for_each(|sums| wanted.extend(sums.differing()));
        self.not_full(wanted.len())?;
        let wanted: Vec<u32> = wanted.into_iter().collect();
        let picked = Box::pin(self.look_into(&wanted)).await?;
        self.add_agreed(&mut shown, &picked)?;
        for (place, sums) in sums.iter().enumerate() {
            let listed = &picked.receipts[place];
            sums.fits(&picked.events, listed, &wanted).then_some(()).ok_or_else(moved)?;
            let agreed: u64 = shown.agreed_at[place].iter().sum();
            shown.outside[place] = self.outside(place, sums, listed, &wanted, agreed).await?;
        }
        shown.events.extend(picked.events);
        shown.receipts.iter_mut().zip(picked.receipts).for_each(|(all, more)| all.extend(more));
        (shown.buckets, shown.looked_into) = (self.buckets, wanted.len());
        Ok(shown)
    }

    fn not_full(&self, buckets: usize) -> Result<(), NotShown> {
        if sketch::full(buckets, self.buckets) {
            let all = self.buckets;
            return Err(NotShown(format!("{buckets} of {all} buckets would have to be looked into")));
        }
        Ok(())
    }

    /// Rows that no server adds up.
    async fn beside(&self) -> Result<Shown, NotShown> {
        let consumers = self.consumers.len();
        let mut shown = Shown {
            receipts: vec![Vec::new(); consumers],
            dead_letters: vec![Vec::new(); consumers],
            outside: vec![0; consumers],
            ..Shown::default()
        };
        for table in &self.reading.producer.tables {
            shown.events.extend(some(table.beside_sketch(self.rules.span, PICKED_MAX).await?)?);
        }
        for (place, tables) in self.consumers.iter().enumerate() {
            for table in &tables.receipts {
                let rows = table.beside_sketch(self.receipts_span(place), PICKED_MAX).await?;
                shown.receipts[place].extend(some(rows)?);
            }
            if let Some(table) = &tables.dead_letters {
                let margin = table.slicing().margin;
                let span = self.reading.plan.receipts.widened(margin, margin);
                shown.dead_letters[place].extend(some(table.read(span, PICKED_MAX).await?)?);
            }
        }
        Ok(shown)
    }

    fn buckets_of(&self, shown: &Shown, aside: &[&Id]) -> BTreeSet<u32> {
        let events = shown.events.iter().filter_map(|row| row.id.as_ref());
        let receipts = shown.receipts.iter().flatten().filter_map(|row| row.id.as_ref());
        let dead = shown.dead_letters.iter().flatten().filter_map(|row| row.id.as_ref());
        let all = events.chain(receipts).chain(dead).chain(aside.iter().copied());
        all.map(|id| Digest::of(id).bucket(self.buckets)).collect()
    }

    /// Where the consumer's receipts are read: as when they are streamed.
    fn receipts_span(&self, place: usize) -> Span {
        self.reading.receipts_span(place, self.rules)
    }

    /// The rows of these buckets: events of the range, receipts wherever they would be streamed.
    async fn look_into(&self, wanted: &[u32]) -> Result<Picked, NotShown> {
        if wanted.is_empty() {
            return Ok(Picked { events: Vec::new(), receipts: vec![Vec::new(); self.consumers.len()] });
        }
        // Side by side: each makes the digests of all its rows once more.
        let (events, receipts) = try_join(self.events_of(wanted), self.receipts_of(wanted)).await?;
        Ok(Picked { events, receipts })
    }

    async fn events_of(&self, wanted: &[u32]) -> Result<Vec<Event>, NotShown> {
        let mut events = Vec::new();
        for table in &self.reading.producer.tables {
            for slice in self.slices() {
                let rows = table.in_buckets(slice, self.buckets, wanted, PICKED_MAX).await?;
                events.extend(some(rows)?);
            }
        }
        Ok(events)
    }

    async fn receipts_of(&self, wanted: &[u32]) -> Result<Vec<Vec<Receipt>>, NotShown> {
        let mut receipts = vec![Vec::new(); self.consumers.len()];
        for (place, tables) in self.consumers.iter().enumerate() {
            for table in &tables.receipts {
                let rows = table.in_buckets(self.receipts_span(place), self.buckets, wanted, PICKED_MAX);
                receipts[place].extend(some(rows.await?)?);
            }
        }
        Ok(receipts)
    }

    /// How many events of each window are not among those picked: they agree.
    fn add_agreed(&self, shown: &mut Shown, picked: &Picked) -> Result<(), NotShown> {
        let windows = &self.rules.windows;
        let place = |row: &Event| row.acked.at().and_then(|at| position(windows, at));
        let left = |mine: &dyn Fn(u64) -> bool| {
            let mut left = vec![0_u64; windows.len()];
            let counted = self.counted.iter().filter(|counted| mine(counted.expected_by));
            counted.for_each(|counted| left[counted.window] += counted.rows);
            for row in picked.events.iter().filter(|row| mine(row.expected_by)) {
                let window = place(row).ok_or_else(moved)?;
                left[window] = left[window].checked_sub(1).ok_or_else(moved)?;
            }
            Ok::<_, NotShown>(left)
        };
        shown.agreed = left(&|_| true)?;
        let consumers = 0..self.consumers.len();
        shown.agreed_at =
            consumers.map(|place| left(&|bits| bits >> place & 1 == 1)).collect::<Result<_, _>>()?;
        Ok(())
    }

    /// How many receipts of messages outside the range there are in the buckets that agree.
    async fn outside(
        &self,
        place: usize,
        sums: &Sums,
        listed: &[Receipt],
        wanted: &[u32],
        agreed: u64,
    ) -> Result<u64, NotShown> {
        let mut outside = sums.agreed(wanted, agreed).ok_or_else(moved)?;
        let read = self.receipts_span(place);
        for span in around(read, sums.span) {
            let counts = self.consumers[place].receipts.iter().map(|table| table.count(span));
            let all: u64 = try_join_all(counts).await?.into_iter().sum();
            let listed = listed.iter().filter(|row| row.consumed.at().is_some_and(|at| span.contains(at)));
            outside += all.checked_sub(listed.count() as u64).ok_or_else(moved)?;
        }
        Ok(outside)
    }

    /// The range in pieces of whole windows, and windows with too many rows in pieces of their own.
    fn slices(&self) -> Vec<Span> {
        let mut rows = vec![0; self.rules.windows.len()];
        self.counted.iter().for_each(|counted| rows[counted.window] += counted.rows);
        slices(&self.rules.windows, &rows, ROWS_WANTED)
    }

    fn progress(&self, share: f64) {
        let rows = self.counted.iter().map(|counted| counted.rows).sum();
        (self.reading.watch)(Step::Reading { flow: &self.reading.plan.flow.name, share, rows });
    }
}

/// What of a span lies before and after another.
fn around(span: Span, middle: Span) -> impl Iterator<Item = Span> {
    let before = Span::new(span.from, middle.from.clamp(span.from, span.until));
    let after = Span::new(middle.until.clamp(span.from, span.until), span.until);
    [before, after].into_iter().filter(|span| !span.is_empty())
}

/// Neighbouring windows together, as long as they have no more rows than wanted; one that has more is cut evenly.
fn slices(windows: &[Window], rows: &[u64], wanted: u64) -> Vec<Span> {
    let mut slices: Vec<(Span, u64)> = Vec::new();
    for (window, rows) in windows.iter().zip(rows) {
        match slices.last_mut() {
            Some((span, all)) if *all + rows <= wanted => {
                *span = Span::new(span.from, window.0.until);
                *all += rows;
            }
            _ => slices.push((window.0, *rows)),
        }
    }
    slices.into_iter().flat_map(|(span, rows)| cut(span, rows.div_ceil(wanted.max(1)))).collect()
}

/// A span in so many pieces, or as many as it has microseconds.
fn cut(span: Span, pieces: u64) -> impl Iterator<Item = Span> {
    let pieces = i64::try_from(pieces).unwrap_or(i64::MAX).clamp(1, span.micros().max(1));
    let at = move |place: i64| {
        let along = i128::from(span.micros()) * i128::from(place) / i128::from(pieces);
        span.from.plus(i64::try_from(along).unwrap_or(i64::MAX))
    };
    (0..pieces).map(move |place| Span::new(at(place), at(place + 1)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::Micros;
    use crate::model::time::{HOUR, MINUTE};

    #[test]
    fn slices_hold_whole_windows_and_tile_the_range() {
        let windows: Vec<_> =
            (0..5).map(|hour| Window(Span::new(Micros(hour * HOUR), Micros((hour + 1) * HOUR)))).collect();
        let found = slices(&windows, &[60, 40, 1, 500, 0], 100);
        let minutes: Vec<_> =
            found.iter().map(|span| (span.from.0 / MINUTE, span.until.0 / MINUTE)).collect();
        let cut = [(180, 192), (192, 204), (204, 216), (216, 228), (228, 240)];
        assert_eq!(minutes[..2], [(0, 120), (120, 180)]);
        assert_eq!(minutes[2..7], cut, "one that holds five times as many");
        assert_eq!(minutes[7..], [(240, 300)]);
        assert!(slices(&[], &[], 100).is_empty());
    }

    #[test]
    fn what_lies_around_is_what_is_left() {
        let span = |from, until| Span::new(Micros(from), Micros(until));
        assert!(around(span(0, 10), span(2, 7)).eq([span(0, 2), span(7, 10)]));
        assert!(around(span(0, 10), span(0, 10)).eq([]));
        assert!(around(span(3, 10), span(0, 5)).eq([span(5, 10)]));
    }
}
