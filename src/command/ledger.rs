//! `msgrecon ledger copy`: everything that another ledger holds into this configuration's, which must be empty.

use super::{Usage, block_on, load_config, print};
use crate::cli::Global;
use crate::clock;
use crate::config;
use crate::ledger::{Lease, Ledger, LedgerError};
use secrecy::{ExposeSecret as _, SecretString};
use std::fmt::Write as _;
use std::path::Path;

pub(super) fn copy(global: &Global, from: &Path) -> anyhow::Result<u8> {
    let new = load_config(global)?.ledger.url;
    let old = config::load(from, &|name| std::env::var(name).ok())?.ledger.url;
    if new.expose_secret() == old.expose_secret() {
        let message =
            format!("{} names the same ledger; name the configuration of the old one", from.display());
        return Err(Usage(message).into());
    }
    let copied = block_on(carry_over(&old, &new))??;
    let mut text = String::new();
    for (table, rows) in copied {
        let _ = writeln!(text, "{table}: {rows} row(s)");
    }
    print(text.as_bytes())
}

/// Under the leases of every flow, so that no run writes to the old ledger meanwhile.
async fn carry_over(old: &SecretString, new: &SecretString) -> Result<Vec<(&'static str, u64)>, LedgerError> {
    let mut source = Ledger::open(old, false).await?;
    let flows: Vec<_> = source.holders().await?.into_iter().map(|(flow, _)| flow).collect();
    let lease = Lease::take(&mut source, old, &clock::run_id(clock::now()), &flows).await?;
    let outcome = match Ledger::open(new, true).await {
        Ok(mut target) => {
            let outcome = target.copy_from(&mut source).await;
            target.close().await;
            outcome
        }
        Err(error) => Err(error),
    };
    lease.free(&mut source).await;
    source.close().await;
    outcome
}
