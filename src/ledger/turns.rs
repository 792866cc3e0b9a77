//! Transactions: all of one or nothing, and again where another session stood in its way.
//!
//! Several runs write to one ledger, each to flows of its own; their rows lie beside each other, so that a server that locks
//! the gaps between rows may let two of them wait for each other. It takes back the work of one, which then has to begin
//! again.

use super::error::LedgerError;
use super::{Lease, Ledger};
use crate::clock::Stopwatch;
use std::time::Duration;

/// So often is a transaction made at the most ...
const TRIES: u32 = 40;
/// ... and never again after so long.
const PATIENCE: Duration = Duration::from_mins(1);
/// Before the second try; one more of it before each further one ...
const PAUSE: Duration = Duration::from_millis(5);
/// ... up to this.
const PAUSE_MAX: Duration = Duration::from_millis(100);

/// How often something was tried, and since when.
pub(super) struct Turns {
    since: Stopwatch,
    tried: u32,
}

impl Turns {
    pub(super) fn new() -> Self {
        Self { since: Stopwatch::start(), tried: 1 }
    }

    /// Whether what failed like this is worth another try; waits for a moment if it is.
    pub(super) async fn another(&mut self, error: &LedgerError) -> bool {
        if !error.crossed || self.tried >= TRIES || self.since.elapsed() >= PATIENCE {
            return false;
        }
        tracing::debug!("{error}; try {} is made again", self.tried);
        tokio::time::sleep((PAUSE * self.tried).min(PAUSE_MAX)).await;
        self.tried += 1;
        true
    }
}

impl Ledger {
    /// Carries out a transaction that only the holder of the lease can. `work` changes nothing but the ledger: where
    /// another session was in the way it is done once more.
    pub(super) async fn under_lease<T>(
        &mut self,
        lease: &Lease,
        flow: &str,
        mut work: impl AsyncFnMut(&mut Self) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.transaction(async |ledger| {
            ledger.fence(lease, flow).await?;
            work(ledger).await
        })
        .await
    }

    /// The same without a lease.
    pub(super) async fn transaction<T>(
        &mut self,
        mut work: impl AsyncFnMut(&mut Self) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        let mut turns = Turns::new();
        loop {
            match self.one_try(&mut work).await {
                Err(error) if turns.another(&error).await => {}
                outcome => return outcome,
            }
        }
    }

    /// One try; nothing is left of one that fails.
    async fn one_try<T>(
        &mut self,
        work: &mut impl AsyncFnMut(&mut Self) -> Result<T, LedgerError>,
    ) -> Result<T, LedgerError> {
        self.store.begin().await?;
        let outcome = match work(self).await {
            Ok(value) => self.store.commit().await.map(|()| value),
            Err(error) => Err(error),
        };
        if outcome.is_err() {
            // A session that cannot do that breaks; why the work failed is what counts.
            let _ = self.store.rollback().await;
        }
        outcome
    }
}
