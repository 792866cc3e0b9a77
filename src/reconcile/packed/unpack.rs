//! From digests to ids: rows are looked up by their instants, and entered in the books as if they had been streamed.

use super::{Left, Packed};
use crate::book::FlowBook;
use crate::model::{Event, Id, PackedRow, Receipt};
use crate::plan::FlowRules;
use crate::reconcile::intake::Intake;
use crate::reconcile::read::Reading;
use crate::reconcile::sketch::NotShown;
use crate::source::{PACKED_AT_MAX, SourceError};
use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use std::collections::HashMap;

/// So many digests are looked up, ...
const UNPAIRED_MAX: u64 = 200_000;
/// ... so many in any case, ...
const UNPAIRED_MIN: u64 = 20_000;
/// ... and one of so many rows: more of them are cheaper streamed.
const UNPAIRED_SHARE: u64 = 4;
/// So many statements are in flight at a time: what they wait for is the link.
const AT_ONCE: usize = 8;

impl Reading<'_> {
    /// What in the tables keeps the flow from being read packed.
    pub(in crate::reconcile) fn packed_obstacle(&self, rules: &FlowRules) -> Option<String> {
        let twice = |unique: bool| {
            (!unique)
                .then(|| "the id has no unique index in a single table, so that it may come twice".to_owned())
        };
        let events = self.producer.tables.iter().find_map(|table| table.packed_obstacle());
        let events = events.or_else(|| twice(rules.event_ids_unique)).map(|why| format!("events: {why}"));
        events.or_else(|| {
            self.consumers.iter().zip(&rules.consumers).find_map(|(tables, rules)| {
                let name = &rules.name;
                let Some(tables) = tables else {
                    return Some(format!("consumer `{name}` could not be opened"));
                };
                let own = tables.receipts.iter().find_map(|table| table.packed_obstacle());
                let own = own.or_else(|| twice(rules.receipt_ids_unique));
                own.map(|why| format!("consumer `{name}`: {why}"))
            })
        })
    }

    /// Reads everything packed into a fresh book, and gives it back ready to be closed. `aside` are the ids of rows that
    /// it holds already.
    pub(in crate::reconcile) async fn packed<'i>(
        &self,
        book: FlowBook,
        aside: impl Iterator<Item = &'i Id>,
    ) -> Result<FlowBook, NotShown> {
        self.check_digests().await?;
        let mut packed = Packed::new(book, aside);
        self.slices(&mut Intake::Packed(&mut packed)).await?;
        if let Some(why) = packed.over {
            return Err(NotShown(why));
        }
        let left = packed.left();
        let unpaired = few(&left, packed.rows)?;
        let events = self.unpacked_events(&left.events).await?;
        let mut receipts = Vec::new();
        for (place, rows) in left.receipts.iter().enumerate() {
            receipts.push(self.unpacked_receipts(place, rows).await?);
        }
        tracing::info!(flow = self.plan.flow.name, rows = packed.rows, unpaired, "read packed");
        packed.enter(&left, &events, receipts)
    }

    async fn unpacked_events(&self, rows: &[PackedRow]) -> Result<HashMap<PackedRow, Event>, NotShown> {
        let Some(table) = self.producer.tables.first() else { return Ok(HashMap::new()) };
        let found = all(rows, |part| table.unpacked(part)).await?;
        rows.iter().zip(found).map(|(row, found)| Ok((*row, found.ok_or_else(changed)?))).collect()
    }

    async fn unpacked_receipts(&self, place: usize, rows: &[PackedRow]) -> Result<Vec<Receipt>, NotShown> {
        let tables = self.consumers[place].as_ref();
        let Some(table) = tables.and_then(|tables| tables.receipts.first()) else { return Ok(Vec::new()) };
        let found = all(rows, |part| table.unpacked(part)).await?;
        found.into_iter().map(|found| found.ok_or_else(changed)).collect()
    }
}

async fn all<'r, T, F>(
    rows: &'r [PackedRow],
    unpacked: impl Fn(&'r [PackedRow]) -> F,
) -> Result<Vec<Option<T>>, SourceError>
where
    F: Future<Output = Result<Vec<Option<T>>, SourceError>>,
{
    let parts = stream::iter(rows.chunks(PACKED_AT_MAX).map(unpacked)).buffered(AT_ONCE);
    let parts: Vec<_> = parts.try_collect().await?;
    Ok(parts.into_iter().flatten().collect())
}

fn changed() -> NotShown {
    NotShown("rows changed while they were read".to_owned())
}

/// How many digests have to be looked up, if they are few enough.
fn few(left: &Left, rows: u64) -> Result<u64, NotShown> {
    let unpaired = (left.events.len() + left.receipts.iter().map(Vec::len).sum::<usize>()) as u64;
    if unpaired > (rows / UNPAIRED_SHARE).clamp(UNPAIRED_MIN, UNPAIRED_MAX) {
        return Err(NotShown(format!("{unpaired} of {rows} rows would have to be looked up one by one")));
    }
    Ok(unpaired)
}

impl Packed {
    /// Enters everything with its id: what was read with it, then what was looked up.
    pub(super) fn enter(
        mut self,
        left: &Left,
        events: &HashMap<PackedRow, Event>,
        receipts: Vec<Vec<Receipt>>,
    ) -> Result<FlowBook, NotShown> {
        self.events.iter().for_each(|row| self.book.event(row));
        for row in &self.whole {
            self.book.known_event(events.get(row).ok_or_else(changed)?);
        }
        for (place, side) in self.sides.iter().enumerate() {
            for (row, consumed) in side.events() {
                let more = consumed || self.known.contains(&row.digest);
                self.book.unpacked_event(place, events.get(&row).ok_or_else(changed)?, more);
            }
        }
        for (place, rows) in receipts.into_iter().enumerate() {
            self.book.outside(place, left.outside[place]);
            let kept = std::mem::take(&mut self.receipts[place]);
            rows.into_iter().chain(kept).for_each(|row| self.book.receipt(place, row));
        }
        for (place, rows) in self.dead_letters.into_iter().enumerate() {
            rows.into_iter().for_each(|row| self.book.dead_letter(place, row));
        }
        Ok(self.book)
    }
}
