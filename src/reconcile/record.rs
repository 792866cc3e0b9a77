//! Where differences go as they are confirmed: into the ledger, all of them, and onto the report's list, up to its bound.

use crate::book::Checked;
use crate::ledger::{Entry, ErrorKind, Heal, Lease, Ledger, LedgerError, Place, Since, Within};
use crate::model::life::{Acknowledged, FlowLife};
use crate::model::window::holding;
use crate::model::{Difference, Micros, Run};
use chrono_tz::Tz;
use std::collections::{BTreeMap, BTreeSet};
use tokio::sync::Mutex;

/// While a run judges it lists so many; where there are more, the ledger lists them once memory is free again.
const LISTED_EARLY: usize = 20_000;
/// So many open differences are read from the ledger at a time.
const PAGE: usize = 1_000;
/// So many differences are written in one transaction.
const BATCH: usize = 1_000;

/// Takes the differences of one flow.
pub(super) struct Recorder<'l> {
    writer: Option<Writer<'l>>,
    /// Those that the report lists.
    pub(super) listed: Vec<Difference>,
    room: usize,
    /// Whether more was found than there was room for.
    cut: bool,
    /// Why nothing is recorded any more.
    away: Option<LedgerError>,
}

/// What it takes to write to the ledger.
pub(super) struct Writer<'l> {
    pub(super) ledger: &'l Mutex<&'l mut Ledger>,
    pub(super) lease: &'l Lease,
    pub(super) flow: String,
    pub(super) since: Since,
    /// How this flow's whole windows are cut: a range by hand may begin in the middle of one.
    pub(super) window: i64,
    pub(super) zone: Tz,
}

impl<'l> Recorder<'l> {
    /// Lists only.
    pub(super) fn without_ledger() -> Self {
        Self { writer: None, listed: Vec::new(), room: Run::LISTED_MAX, cut: false, away: None }
    }

    pub(super) fn new(writer: Writer<'l>) -> Self {
        Self { writer: Some(writer), room: LISTED_EARLY, ..Self::without_ledger() }
    }

    /// The ledger, while it can be written.
    pub(super) fn writer(&mut self) -> Option<&mut Writer<'l>> {
        self.writer.as_mut().filter(|_| self.away.is_none())
    }

    /// Why nothing is recorded any more; `None` while everything is.
    pub(super) fn away(&self) -> Option<&LedgerError> {
        self.away.as_ref()
    }

    /// Whether another run has taken over, so that this one has to end.
    pub(super) fn is_lost(&self) -> bool {
        let lost = self.away.as_ref().is_some_and(|error| error.kind == ErrorKind::Lost);
        lost || self.writer.as_ref().is_some_and(|writer| writer.lease.is_lost())
    }

    /// Takes the outcome of writing to the ledger; after a failure the run goes on without it.
    pub(super) fn note<T>(&mut self, outcome: Result<T, LedgerError>) -> Option<T> {
        match outcome {
            Ok(value) => Some(value),
            Err(error) => {
                tracing::warn!("{error}; what is judged from here on is reported and not recorded");
                self.away.get_or_insert(error);
                None
            }
        }
    }

    /// Records differences and lists them while there is room.
    pub(super) async fn take(&mut self, mut found: Vec<Difference>) {
        for batch in found.chunks_mut(BATCH) {
            if let Some(writer) = self.writer() {
                let outcome = writer.put_whole(batch).await;
                self.note(outcome);
            }
        }
        let room = self.room.saturating_sub(self.listed.len());
        self.cut |= found.len() > room;
        self.listed.extend(found.into_iter().take(room));
    }

    /// Lists what the ledger holds, of what `fits`, while there is room on the report's list; what is listed already stays
    /// as it is, unless it was cut: then the ledger alone says which come first, so that it is the same in every run.
    pub(super) async fn list(&mut self, last: Option<Micros>, fits: impl Fn(&Entry) -> bool) {
        if self.cut && self.writer().is_some() {
            // Only what has no id is in no ledger.
            self.listed.retain(|one| one.id.is_none());
        }
        let mut known: BTreeSet<_> =
            self.listed.iter().map(|one| (one.consumer.clone(), one.id.clone())).collect();
        let mut after = Place::default();
        while self.listed.len() < Run::LISTED_MAX
            && let Some(writer) = self.writer()
        {
            let as_of = writer.since.as_of;
            let page = writer.ledger.lock().await.shown(&writer.flow, &after, PAGE).await;
            let Some(page) = self.note(page) else { return };
            let Some(end) = page.last() else { return };
            after = Place::after(end);
            for entry in page.iter().filter(|entry| fits(entry)) {
                if known.insert((entry.consumer.clone(), Some(entry.id.clone()))) {
                    self.listed.push(entry.to_difference(as_of, last));
                }
            }
        }
    }

    /// Whether more was found than the list took.
    pub(super) fn is_cut(&self) -> bool {
        self.cut
    }

    /// Records what became of messages that were looked up again: what still differs, and what healed. What differs now
    /// where nothing did is listed too.
    pub(super) async fn settle(&mut self, entries: Vec<Entry>, mut checked: Checked) {
        let Some(Writer { window, zone, .. }) = self.writer() else { return };
        let (window, zone) = (*window, *zone);
        let heal = |entry: Entry| {
            let (evidence, expired) = checked.heal(entry.consumer.as_deref(), &entry.id, entry.kind)?;
            // Without a usable time it counted where it was written.
            let written = entry.created_at.filter(|_| entry.window_from.is_none());
            let homes = checked.home(&entry.id).into_iter().chain(written);
            let windows = homes.map(|at| holding(at, window, zone).0.from).collect();
            Some(Heal { entry, evidence, expired, windows })
        };
        let of =
            |entry: &Entry| ((entry.consumer.clone(), entry.id.clone()), (entry.home_at, entry.window_from));
        let known: BTreeMap<_, _> = entries.iter().map(of).collect();
        let healed: Vec<_> = entries.into_iter().filter_map(heal).collect();
        let Some(writer) = self.writer() else { return };
        for difference in &mut checked.found {
            let home = difference.age.map(|age| writer.since.as_of.plus(-age));
            let key = difference.id.clone().map(|id| (difference.consumer.clone(), id));
            // Its window may have been judged in another size: it stays where it is counted.
            let counted = key.and_then(|key| known.get(&key)).filter(|(before, _)| *before == home);
            let counted = counted.and_then(|(_, window)| *window);
            let cut = || home.map(|home| holding(home, writer.window, writer.zone).0.from);
            difference.window_from = counted.or_else(cut);
        }
        let outcome = writer.put(&mut checked.found, &healed).await;
        self.note(outcome);
    }

    /// What the ledger knows of the flow once everything is recorded, compared with the run as of `last`.
    pub(super) async fn life(
        &mut self,
        last: Option<Micros>,
        within: &Within,
    ) -> Option<(FlowLife, Vec<Acknowledged>)> {
        let writer = self.writer()?;
        let (as_of, zone) = (writer.since.as_of, writer.zone);
        let life = writer.ledger.lock().await.life(&writer.flow, as_of, last, zone).await;
        let life = self.note(life)?;
        let writer = self.writer()?;
        let acknowledged = writer.ledger.lock().await.acknowledged(&writer.flow, as_of, within).await;
        self.note(acknowledged).map(|acknowledged| (life, acknowledged))
    }

    /// Takes off the list what was found at a consumer that could not be read to the end. The ledger keeps it: each one
    /// was confirmed.
    pub(super) fn forget(&mut self, consumer: &str) {
        self.listed.retain(|difference| difference.consumer.as_deref() != Some(consumer));
    }
}

impl Writer<'_> {
    async fn put(&mut self, found: &mut [Difference], healed: &[Heal]) -> Result<(), LedgerError> {
        if found.is_empty() && healed.is_empty() {
            return Ok(());
        }
        let mut ledger = self.ledger.lock().await;
        ledger.put_differences(self.lease, &self.flow, &self.since, found, healed).await
    }

    /// The ledger knows whole windows; a range by hand may have cut those of what it found.
    async fn put_whole(&mut self, found: &mut [Difference]) -> Result<(), LedgerError> {
        let windows: Vec<Option<Micros>> = found.iter().map(|one| one.window_from).collect();
        for difference in found.iter_mut() {
            let whole = |from| holding(from, self.window, self.zone).0.from;
            difference.window_from = difference.window_from.map(whole);
        }
        let outcome = self.put(found, &[]).await;
        found.iter_mut().zip(windows).for_each(|(difference, window)| difference.window_from = window);
        outcome
    }
}
