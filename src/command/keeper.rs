//! The ledger for one command: opened, used, closed, whatever happens between.

use crate::clock;
use crate::config::Config;
use crate::ledger::{Lease, Ledger};

/// Reads the ledger, which must be there.
pub(super) async fn read<T>(
    config: &Config,
    work: impl AsyncFnOnce(&mut Ledger) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let mut ledger = Ledger::open(&config.ledger.url, false).await?;
    let outcome = work(&mut ledger).await;
    ledger.close().await;
    outcome
}

/// Works on the ledger while no run does, on these flows: a run at work is left alone.
pub(super) async fn hold<T>(
    config: &Config,
    ledger: &mut Ledger,
    flows: &[String],
    work: impl AsyncFnOnce(&mut Ledger, &Lease) -> anyhow::Result<T>,
) -> anyhow::Result<T> {
    let holder = clock::run_id(clock::now());
    let lease = Lease::take(ledger, &config.ledger.url, &holder, flows).await?;
    let outcome = work(ledger, &lease).await;
    lease.free(ledger).await;
    outcome
}
