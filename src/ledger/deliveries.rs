//! What is to be told: written before it is sent, kept until it is delivered.
//!
//! Only a run that holds the lease of a delivery's flow sends it, so that no two ever do. A run that is killed between
//! sending and noting it leaves the next one to send again, under the same key, by which a receiver can tell.

use super::error::LedgerError;
use super::value::Row;
use super::{ErrorKind, Ledger, sql};
use crate::model::Micros;
use crate::model::alert::Digest;

/// So many deliveries of a flow are sent to a target by one run: one that does not answer takes no other's place.
const SENT_MAX: i64 = 50;
/// So many characters are kept of why something could not be delivered.
const PROBLEM_MAX: usize = 4_000;

/// What is to be told to a target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Delivery {
    /// The target's name.
    pub target: String,
    /// What it is told.
    pub digest: Digest,
    /// Attempts so far.
    pub attempts: u64,
    /// When it was written.
    pub created_at: Micros,
}

/// What becomes of a delivery after an attempt.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fate {
    /// It arrived.
    Sent,
    /// The next run tries again.
    Waiting,
    /// It is given up.
    Dropped,
}

impl Fate {
    fn name(self) -> &'static str {
        match self {
            Self::Sent => "sent",
            Self::Waiting => "waiting",
            Self::Dropped => "dropped",
        }
    }
}

impl Ledger {
    /// Keeps a delivery, unless the same state was kept for the target before; in a transaction. Where a target is told
    /// everything by every run (`anew`), what waited for it is dropped.
    pub(super) async fn put_delivery(&mut self, delivery: &Delivery, anew: bool) -> Result<(), LedgerError> {
        let digest = &delivery.digest;
        let Some(flow) = digest.flows.first() else { return Ok(()) };
        // First, so that what waits already is not dropped for its own sake.
        if !self.store.fetch(sql::DELIVERY, &[digest.key.as_str().into()]).await?.is_empty() {
            return Ok(());
        }
        if anew {
            let values = [delivery.target.as_str().into(), digest.as_of.into(), flow.as_str().into()];
            self.store.execute(sql::DELIVERIES_SUPERSEDE, &values).await?;
        }
        let body = serde_json::to_string(digest)
            .map_err(|error| LedgerError::new(ErrorKind::Away, format!("a digest: {error}")))?;
        let values = [
            digest.key.as_str().into(),
            delivery.target.as_str().into(),
            flow.as_str().into(),
            digest.run.as_str().into(),
            digest.as_of.into(),
            delivery.created_at.into(),
            body.into(),
        ];
        self.store.execute(sql::DELIVERY_ADD, &values).await.map(|_| ())
    }

    /// What waits to be told of a flow, by target, oldest first, the first 50 of each.
    ///
    /// # Errors
    /// A ledger that fails, or a digest that cannot be read.
    pub async fn waiting(&mut self, flow: &str) -> Result<Vec<Delivery>, LedgerError> {
        let mut waiting = Vec::new();
        for target in self.store.fetch(sql::DELIVERIES_TARGETS, &[flow.into()]).await? {
            let values = [flow.into(), target.word(0).into(), SENT_MAX.into()];
            for row in self.store.fetch(sql::DELIVERIES_WAITING, &values).await? {
                waiting.push(self.delivery(&row)?);
            }
        }
        Ok(waiting)
    }

    fn delivery(&self, row: &Row) -> Result<Delivery, LedgerError> {
        Ok(Delivery {
            target: row.word(1),
            digest: self.read_json(&row.word(5), "a digest")?,
            attempts: row.count(3),
            created_at: row.instant(4),
        })
    }

    /// Notes what became of an attempt.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn tried(
        &mut self,
        key: &str,
        fate: Fate,
        at: Micros,
        problem: Option<&str>,
    ) -> Result<(), LedgerError> {
        let problem =
            problem.map(|text| text.chars().take(PROBLEM_MAX).collect::<String>().replace('\0', "\u{fffd}"));
        let values = [fate.name().into(), at.into(), problem.into(), key.into()];
        self.store.execute(sql::DELIVERY_TRIED, &values).await.map(|_| ())
    }

    /// As-of of the last run that told a target of a flow; else of the first scheduled run of the flow.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn last_told(&mut self, target: &str, flow: &str) -> Result<Option<Micros>, LedgerError> {
        let told = self.store.fetch(sql::DELIVERIES_LAST, &[target.into(), flow.into()]).await?;
        if let Some(at) = told.first().and_then(|row| row.at(0)) {
            return Ok(Some(at));
        }
        let first = self.store.fetch(sql::RUNS_FIRST, &[flow.into()]).await?;
        Ok(first.first().and_then(|row| row.at(0)))
    }

    /// How much waits to be told, of all flows.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn undelivered(&mut self) -> Result<u64, LedgerError> {
        let rows = self.store.fetch(sql::DELIVERIES_UNDELIVERED, &[]).await?;
        Ok(rows.first().map_or(0, |row| row.count(0)))
    }

    /// When the last run ended that judged, whatever it found.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn last_success(&mut self) -> Result<Option<Micros>, LedgerError> {
        let rows = self.store.fetch(sql::RUNS_SUCCESS, &[]).await?;
        Ok(rows.first().and_then(|row| row.at(0)))
    }

    /// Forgets what was told or given up before an instant, and what has waited since before another one: then no run
    /// holds its flow any more. Gives how much.
    ///
    /// # Errors
    /// A ledger that fails.
    pub async fn prune_deliveries(
        &mut self,
        before: Micros,
        waiting_before: Micros,
    ) -> Result<u64, LedgerError> {
        self.store.execute(sql::DELIVERIES_PRUNE, &[before.into(), waiting_before.into()]).await
    }
}
