//! Differences in the ledger: found, seen again, healed.

use super::entry::{Change, Entry, Moment, State, key};
use super::error::LedgerError;
use super::value::{Row, Value};
use super::{Lease, Ledger, sql};
use crate::model::{Difference, Id, Kind, Micros, Span, Status};
use std::collections::{BTreeMap, BTreeSet};

/// Columns of a difference, with its key.
const COLUMNS: usize = 23;
/// So many differences go into one statement.
const ROWS_MAX: usize = 100;
/// So many windows with open differences are told of at a time.
const WINDOWS_MAX: i64 = 100_000;

/// What a run knows of the time before it.
#[derive(Clone, Debug)]
pub struct Since {
    /// The run's as-of.
    pub as_of: Micros,
    /// As-of of the run that it compares itself with.
    pub last: Option<Micros>,
    /// What was looked at before this instant is looked at again: the as-of, or just behind it where a finished run has
    /// had the same, since the sources may have changed meanwhile.
    pub looked_before: Micros,
    /// When each window was judged first, by its begin.
    pub first_judged: BTreeMap<Micros, Micros>,
}

impl Since {
    /// A run as of `as_of` that knows of one run before it; `again` says that one as of the same instant was finished.
    #[must_use]
    pub fn new(as_of: Micros, last: Option<&crate::model::life::LastRun>, again: bool) -> Self {
        Self {
            as_of,
            last: last.map(|last| last.as_of),
            looked_before: as_of.plus(i64::from(again)),
            first_judged: BTreeMap::new(),
        }
    }

    /// Whether the window of a difference had been judged without it.
    fn found_late(&self, difference: &Difference) -> bool {
        let judged = difference.window_from.and_then(|from| self.first_judged.get(&from));
        judged.is_some_and(|judged| *judged < self.as_of)
    }
}

/// A difference that is none any more.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Heal {
    /// As it was.
    pub entry: Entry,
    /// Why.
    pub evidence: String,
    /// Given up: nobody can tell any more.
    pub expired: bool,
    /// The begins of other windows in which its message counts now, or did: an ack that came late may lie elsewhere.
    pub windows: Vec<Micros>,
}

/// Where a page of differences ended.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Place {
    consumer: String,
    key: Vec<u8>,
}

impl Place {
    /// Behind this difference.
    #[must_use]
    pub fn after(entry: &Entry) -> Self {
        Self { consumer: entry.consumer.clone().unwrap_or_default(), key: key(&entry.id) }
    }

    /// As the pair (consumer, key), and as alternatives of the two.
    pub(super) fn pair_and_alternatives(&self) -> [Value; 5] {
        let consumer = || Value::from(self.consumer.as_str());
        let key = || Value::from(self.key.clone());
        [consumer(), key(), consumer(), consumer(), key()]
    }
}

impl Entry {
    pub(super) fn of(row: &Row) -> Self {
        let history: Vec<Moment> = serde_json::from_str(&row.word(20)).unwrap_or_default();
        Self {
            flow: row.word(0),
            consumer: Some(row.word(1)).filter(|consumer| !consumer.is_empty()),
            id: Id::from_bytes(&row.bytes(2)),
            kind: Kind::from_name(&row.word(3)).unwrap_or(Kind::Missing),
            state: State::from_name(&row.word(4)),
            window_from: row.at(5),
            home_at: row.at(6),
            created_at: row.at(7),
            acked_at: row.at(8),
            consumed_at: row.at(9),
            detail: row.word(10),
            first_seen: row.instant(11),
            last_seen: row.instant(12),
            times_seen: row.count(13),
            checked_at: row.instant(14),
            found_late: row.yes(15),
            ack_until: row.at(16),
            ack_reason: row.text(17),
            resolved_at: row.at(18),
            resolution: row.text(19),
            history,
        }
    }

    fn values(&self) -> [Value; COLUMNS] {
        // PostgreSQL keeps no text with a zero byte in it.
        let text = |text: &str| Value::from(text.replace('\0', "\u{fffd}"));
        [
            self.flow.as_str().into(),
            self.consumer.as_deref().unwrap_or_default().into(),
            self.id.to_bytes().into(),
            self.kind.name().into(),
            self.state.name().into(),
            self.window_from.into(),
            self.home_at.into(),
            self.created_at.into(),
            self.acked_at.into(),
            self.consumed_at.into(),
            text(&self.detail),
            self.first_seen.into(),
            self.last_seen.into(),
            self.times_seen.cast_signed().into(),
            self.checked_at.into(),
            self.found_late.into(),
            self.ack_until.into(),
            self.ack_reason.clone().into(),
            self.resolved_at.into(),
            self.resolution.as_deref().map_or(Value::Text(None), text),
            serde_json::to_string(&self.history).unwrap_or_default().into(),
            key(&self.id).into(),
            // The last moment is always the one in which it became what it is.
            self.history.last().map_or(self.first_seen, |moment| moment.at).into(),
        ]
    }
}

/// What a batch does to the ledger.
#[derive(Default)]
struct Writes {
    again: Vec<Id>,
    known: Vec<Id>,
    rows: Vec<Entry>,
}

impl Ledger {
    /// Records differences as a run finds them, and those that heal with them, in one transaction. What was found is
    /// given what the ledger knows of it; windows that were judged without the change are marked to be judged again.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn put_differences(
        &mut self,
        lease: &Lease,
        flow: &str,
        since: &Since,
        found: &mut [Difference],
        healed: &[Heal],
    ) -> Result<(), LedgerError> {
        let seen = &*found;
        let entries = self
            .under_lease(lease, flow, async |ledger| {
                let mut stale = BTreeSet::new();
                let entries = ledger.put_found(flow, since, seen, &mut stale).await?;
                for batch in healed.chunks(sql::LIST_MAX) {
                    ledger.put_healed(flow, since.as_of, batch, &mut stale).await?;
                }
                let stale: Vec<_> = stale.into_iter().collect();
                ledger.mark_stale(flow, since.looked_before, &stale).await?;
                Ok(entries)
            })
            .await?;
        // Only now: a transaction that is made again finds what was found as it was.
        for difference in found {
            let of = entries.get(difference.consumer.as_deref().unwrap_or_default());
            let entry = difference.id.as_ref().and_then(|id| of?.get(&key(id)));
            adorn(difference, entry, since);
        }
        Ok(())
    }

    /// Gives the entries of what was found, by consumer and key.
    async fn put_found(
        &mut self,
        flow: &str,
        since: &Since,
        found: &[Difference],
        stale: &mut BTreeSet<Micros>,
    ) -> Result<BTreeMap<String, BTreeMap<Vec<u8>, Entry>>, LedgerError> {
        let mut by_consumer: BTreeMap<String, Vec<&Difference>> = BTreeMap::new();
        for difference in found.iter().filter(|difference| difference.id.is_some()) {
            by_consumer.entry(difference.consumer.clone().unwrap_or_default()).or_default().push(difference);
        }
        let mut entries: BTreeMap<String, BTreeMap<Vec<u8>, Entry>> = BTreeMap::new();
        for (consumer, differences) in by_consumer {
            for batch in differences.chunks(sql::LIST_MAX) {
                let put = self.put_batch(flow, &consumer, since, batch, stale).await?;
                entries.entry(consumer.clone()).or_default().extend(put);
            }
        }
        Ok(entries)
    }

    async fn put_batch(
        &mut self,
        flow: &str,
        consumer: &str,
        since: &Since,
        batch: &[&Difference],
        stale: &mut BTreeSet<Micros>,
    ) -> Result<BTreeMap<Vec<u8>, Entry>, LedgerError> {
        let ids: Vec<_> = batch.iter().filter_map(|difference| difference.id.clone()).collect();
        let mut known = self.known(flow, consumer, &ids).await?;
        let mut writes = Writes::default();
        let mut done = BTreeSet::new();
        for difference in batch {
            let Some(key) = difference.id.as_ref().map(key) else { continue };
            // Several rows of one id may each be one; the first stands for all of them.
            if done.insert(key.clone())
                && let Some(now) = weigh(known.remove(&key), difference, since, &mut writes, stale)
            {
                known.insert(key, now);
            }
        }
        self.write(flow, consumer, since.as_of, writes).await?;
        Ok(known)
    }

    async fn put_healed(
        &mut self,
        flow: &str,
        as_of: Micros,
        healed: &[Heal],
        stale: &mut BTreeSet<Micros>,
    ) -> Result<(), LedgerError> {
        let mut by_consumer: BTreeMap<String, Writes> = BTreeMap::new();
        for heal in healed {
            let writes = by_consumer.entry(heal.entry.consumer.clone().unwrap_or_default()).or_default();
            writes.known.push(heal.entry.id.clone());
            writes.rows.push(heal.entry.healed(as_of, &heal.evidence, heal.expired));
            stale.extend(heal.entry.window_from.iter().chain(&heal.windows));
        }
        for (consumer, writes) in by_consumer {
            self.write(flow, &consumer, as_of, writes).await?;
        }
        Ok(())
    }

    /// What is known of these messages at a consumer (empty: at the producer alone), by key.
    pub(super) async fn known(
        &mut self,
        flow: &str,
        consumer: &str,
        ids: &[Id],
    ) -> Result<BTreeMap<Vec<u8>, Entry>, LedgerError> {
        let question = sql::listed(sql::DIFFERENCES_KNOWN, ids.len());
        let rows = self.store.fetch(&question, &of_ids(vec![flow.into(), consumer.into()], ids)).await?;
        Ok(rows.iter().map(Entry::of).map(|entry| (key(&entry.id), entry)).collect())
    }

    async fn write(
        &mut self,
        flow: &str,
        consumer: &str,
        as_of: Micros,
        writes: Writes,
    ) -> Result<(), LedgerError> {
        if !writes.again.is_empty() {
            let start = vec![as_of.into(), as_of.into(), flow.into(), consumer.into()];
            let statement = sql::listed(sql::DIFFERENCES_SEEN, writes.again.len());
            self.store.execute(&statement, &of_ids(start, &writes.again)).await?;
        }
        if !writes.known.is_empty() {
            let statement = sql::listed(sql::DIFFERENCES_DROP, writes.known.len());
            self.store
                .execute(&statement, &of_ids(vec![flow.into(), consumer.into()], &writes.known))
                .await?;
        }
        for rows in writes.rows.chunks(ROWS_MAX) {
            let values: Vec<_> = rows.iter().flat_map(Entry::values).collect();
            self.store.execute(&sql::rows(sql::DIFFERENCES_ADD, rows.len(), COLUMNS), &values).await?;
        }
        Ok(())
    }

    /// Open differences that were looked at before an instant, behind a place; of one span of windows if it is named.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn unchecked(
        &mut self,
        flow: &str,
        windows: Option<Span>,
        before: Micros,
        after: &Place,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        let limit = i64::try_from(limit).unwrap_or(i64::MAX);
        let mut values: Vec<Value> = vec![flow.into()];
        let question = if let Some(span) = windows {
            values.extend([span.from.into(), span.until.into()]);
            sql::DIFFERENCES_UNSEEN
        } else {
            sql::DIFFERENCES_UNCHECKED
        };
        values.push(before.into());
        values.extend(after.pair_and_alternatives());
        values.push(limit.into());
        Ok(self.store.fetch(question, &values).await?.iter().map(Entry::of).collect())
    }

    /// All open differences and all late ones, behind a place.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn shown(
        &mut self,
        flow: &str,
        after: &Place,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        let mut values: Vec<Value> = vec![flow.into()];
        values.extend(after.pair_and_alternatives());
        values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
        Ok(self.store.fetch(sql::DIFFERENCES_SHOWN, &values).await?.iter().map(Entry::of).collect())
    }

    /// The begins of the windows that hold open differences, in time order.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn open_windows(&mut self, flow: &str) -> Result<Vec<Micros>, LedgerError> {
        let rows = self.store.fetch(sql::DIFFERENCES_WINDOWS, &[flow.into(), WINDOWS_MAX.into()]).await?;
        Ok(rows.iter().filter_map(|row| row.at(0)).collect())
    }
}

fn of_ids(mut start: Vec<Value>, ids: &[Id]) -> Vec<Value> {
    start.extend(ids.iter().map(|id| Value::from(key(id))));
    start
}

/// Decides what a sight of a difference does to the ledger; gives the entry as it is from now on.
fn weigh(
    known: Option<Entry>,
    seen: &Difference,
    since: &Since,
    writes: &mut Writes,
    stale: &mut BTreeSet<Micros>,
) -> Option<Entry> {
    let Some(entry) = known else {
        let entry = Entry::first(seen, since.as_of, since.found_late(seen))?;
        stale.extend(entry.window_from);
        writes.rows.push(entry.clone());
        return Some(entry);
    };
    match entry.seen(seen, since.as_of) {
        Change::None => Some(entry),
        Change::Again => {
            writes.again.push(entry.id.clone());
            let (last_seen, times_seen) = (since.as_of, entry.times_seen + 1);
            Some(Entry { last_seen, times_seen, ..entry })
        }
        Change::Anew(new) => {
            writes.known.push(entry.id.clone());
            // Even of the same kind: another receipt counts too.
            stale.extend([entry.window_from, new.window_from].into_iter().flatten());
            writes.rows.push((*new).clone());
            Some(*new)
        }
    }
}

/// Tells a report what the ledger knows.
fn adorn(difference: &mut Difference, entry: Option<&Entry>, since: &Since) {
    let Some(entry) = entry else { return };
    difference.first_seen = entry.first_seen;
    difference.times_seen = entry.times_seen;
    difference.after_first_check = entry.found_late;
    difference.status = entry.status(since.as_of, since.last);
    // A report as of an earlier instant than the ledger's last look shows what it saw, as something known.
    if difference.status == Status::New && entry.first_seen > since.as_of {
        difference.first_seen = since.as_of;
    }
}
