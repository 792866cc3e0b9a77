//! What people do with the ledger: list differences, acknowledge them, forget what is old.

use super::entry::{Entry, State, key};
use super::error::LedgerError;
use super::value::Value;
use super::{Lease, Ledger, Place, sql};
use crate::model::time::{DAY, HOUR};
use crate::model::{Id, Kind, Micros};
use std::collections::{BTreeMap, BTreeSet};

/// So many runs are forgotten at a time.
const PRUNE_BATCH: i64 = 500;

/// Which differences are asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filter {
    /// Of this flow.
    pub flow: Option<String>,
    /// At this consumer; empty for the producer alone.
    pub consumer: Option<String>,
    /// Of this kind.
    pub kind: Option<Kind>,
    /// In this state.
    pub state: Option<State>,
    /// Acknowledged as of this instant (true), or open and not acknowledged (false).
    pub acknowledged: Option<(bool, Micros)>,
    /// First seen before this instant.
    pub first_seen_before: Option<Micros>,
    /// With this id.
    pub id: Option<Id>,
}

impl Filter {
    /// Whether a side is asked for; the consumer is empty for the producer alone.
    fn fits(&self, flow: &str, consumer: &str) -> bool {
        self.flow.as_deref().is_none_or(|one| one == flow)
            && self.consumer.as_deref().is_none_or(|one| one == consumer)
    }

    /// What lies behind a difference that fits, so that an index can seek it: as a row of values for SQLite and
    /// PostgreSQL, and again as alternatives for MySQL.
    fn behind(&self, last: &Entry) -> (&'static str, Vec<Value>) {
        let flow = || Value::from(last.flow.as_str());
        let place = Place::after(last).pair_and_alternatives();
        let [consumer, key, ..] = place.clone();
        match (&self.flow, &self.consumer) {
            (Some(_), Some(_)) => ("id_key > ?", vec![key]),
            (Some(_), None) => (
                "(consumer, id_key) > (?, ?) AND (consumer > ? OR (consumer = ? AND id_key > ?))",
                place.to_vec(),
            ),
            (None, _) => (
                "(flow, consumer, id_key) > (?, ?, ?) AND (flow > ? OR (flow = ? AND (consumer > ? OR (consumer = ? AND id_key > ?))))",
                [flow(), consumer, key, flow(), flow()]
                    .into_iter()
                    .chain(place[2..].iter().cloned())
                    .collect(),
            ),
        }
    }

    fn conditions(&self) -> (Vec<&'static str>, Vec<Value>) {
        let mut conditions = vec!["1 = 1"];
        let mut values = Vec::new();
        let mut both = |condition: &'static str, value: Option<Value>| {
            if let Some(value) = value {
                conditions.push(condition);
                values.push(value);
            }
        };
        both("flow = ?", self.flow.as_deref().map(Value::from));
        both("consumer = ?", self.consumer.as_deref().map(Value::from));
        both("kind = ?", self.kind.map(|kind| kind.name().into()));
        both("state = ?", self.state.map(|state| state.name().into()));
        both("first_seen < ?", self.first_seen_before.map(Value::from));
        both("id_key = ?", self.id.as_ref().map(|id| key(id).into()));
        match self.acknowledged {
            Some((true, at)) => both("state = 'open' AND ack_until > ?", Some(at.into())),
            Some((false, at)) => {
                both("state = 'open' AND (ack_until IS NULL OR ack_until <= ?)", Some(at.into()));
            }
            None => {}
        }
        (conditions, values)
    }
}

/// How many open differences of a flow are how old.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Ages {
    /// First seen within the last hour, day, week, and before: those that nobody has acknowledged.
    pub open: [u64; 4],
    /// Those that somebody has.
    pub acknowledged: u64,
}

/// What was forgotten.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pruned {
    /// Runs with their reports.
    pub runs: u64,
    /// Final windows.
    pub windows: u64,
    /// Differences that healed or were given up.
    pub differences: u64,
}

impl Ledger {
    /// Differences that fit, behind the last one of the page before, by flow, consumer and id.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn list(
        &mut self,
        filter: &Filter,
        after: Option<&Entry>,
        limit: usize,
    ) -> Result<Vec<Entry>, LedgerError> {
        let (mut conditions, mut values) = filter.conditions();
        if let Some(last) = after {
            let (condition, place) = filter.behind(last);
            conditions.push(condition);
            values.extend(place);
        }
        values.push(i64::try_from(limit).unwrap_or(i64::MAX).into());
        let question = sql::filtered(sql::DIFFERENCES_LISTED, &conditions);
        Ok(self.store.fetch(&question, &values).await?.iter().map(Entry::of).collect())
    }

    /// The open differences with these ids that fit, whatever their flow and consumer, by flow, consumer and id.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn open_with(&mut self, filter: &Filter, ids: &[Id]) -> Result<Vec<Entry>, LedgerError> {
        let sides = self.store.fetch(sql::DIFFERENCES_SIDES, &[]).await?;
        let sides = sides.iter().map(|row| (row.word(0), row.word(1)));
        let mut found = Vec::new();
        for (flow, consumer) in sides.filter(|(flow, consumer)| filter.fits(flow, consumer)) {
            for ids in ids.chunks(sql::LIST_MAX) {
                let known = self.known(&flow, &consumer, ids).await?.into_values();
                let of_kind = |entry: &Entry| filter.kind.is_none_or(|kind| kind == entry.kind);
                found.extend(known.filter(|entry| entry.state == State::Open && of_kind(entry)));
            }
        }
        Ok(found)
    }

    /// Notes of open differences that somebody knows of them, until when and why; or takes that back. All or none.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn acknowledge(
        &mut self,
        lease: &Lease,
        entries: &[Entry],
        known: Option<(Micros, &str)>,
    ) -> Result<(), LedgerError> {
        let flows: BTreeSet<_> = entries.iter().map(|entry| entry.flow.as_str()).collect();
        if flows.is_empty() {
            return Ok(());
        }
        let reason = known.map(|(_, reason)| reason.replace('\0', "\u{fffd}"));
        self.transaction(async |ledger| {
            for flow in &flows {
                ledger.fence(lease, flow).await?;
            }
            for entry in entries {
                let values = [
                    known.map(|(until, _)| until).into(),
                    reason.clone().into(),
                    entry.flow.as_str().into(),
                    entry.consumer.as_deref().unwrap_or_default().into(),
                    key(&entry.id).into(),
                ];
                ledger.store.execute(sql::DIFFERENCES_ACKNOWLEDGE, &values).await?;
            }
            Ok(())
        })
        .await
    }

    /// How many open differences each flow has, by age.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn ages(&mut self, as_of: Micros) -> Result<BTreeMap<String, Ages>, LedgerError> {
        let values = [as_of, as_of.plus(-HOUR), as_of.plus(-DAY), as_of.plus(-7 * DAY)].map(Value::from);
        let mut ages: BTreeMap<String, Ages> = BTreeMap::new();
        for row in self.store.fetch(sql::DIFFERENCES_AGES, &values).await? {
            let of = ages.entry(row.word(0)).or_default();
            let place = usize::try_from(row.number(2)).unwrap_or(0).min(3);
            if row.yes(1) {
                of.acknowledged += row.count(3);
            } else {
                of.open[place] += row.count(3);
            }
        }
        Ok(ages)
    }

    /// Forgets, of one flow, final windows that ended before an instant and differences that healed before it. What is
    /// open, and what is not judged to its end, stays whatever its age; so does what lies above the watermark, which would
    /// be judged again.
    ///
    /// # Errors
    /// A ledger that fails, or a lease that is lost.
    pub async fn prune_flow(
        &mut self,
        lease: &Lease,
        flow: &str,
        before: Micros,
    ) -> Result<Pruned, LedgerError> {
        self.under_lease(lease, flow, async |ledger| {
            let watermark = ledger.begun(flow).await?.map_or(before, |begun| begun.watermark.min(before));
            let values = [flow.into(), watermark.into(), flow.into()];
            let windows = ledger.store.execute(sql::WINDOWS_PRUNE, &values).await?;
            let values = [flow.into(), before.into(), before.into()];
            let differences = ledger.store.execute(sql::DIFFERENCES_PRUNE, &values).await?;
            Ok(Pruned { runs: 0, windows, differences })
        })
        .await
    }

    /// Forgets runs that began before an instant, with their reports; how many. The caller holds every flow, so that
    /// none of them is at work. Of each flow the last run stays: the next one compares itself with it.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn prune_runs(&mut self, before: Micros) -> Result<u64, LedgerError> {
        let mut forgotten = 0;
        loop {
            let rows = self.store.fetch(sql::RUNS_OLD, &[before.into(), PRUNE_BATCH.into()]).await?;
            if rows.is_empty() {
                return Ok(forgotten);
            }
            let runs: Vec<_> = rows.iter().map(|row| Value::from(row.word(0))).collect();
            self.transaction(async |ledger| {
                for statement in [sql::DOCUMENTS_DROP, sql::RUN_FLOWS_DROP, sql::RUNS_DROP] {
                    ledger.store.execute(&sql::listed(statement, runs.len()), &runs).await?;
                }
                Ok(())
            })
            .await?;
            forgotten += runs.len() as u64;
        }
    }
}
