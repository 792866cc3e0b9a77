//! `msgrecon prune`: forgets what is old.

use super::keeper::{hold, read};
use super::telling::PATIENCE;
use super::{block_on, load_config, print};
use crate::cli::{Global, PruneArgs};
use crate::clock;
use crate::config::Config;
use crate::ledger::{Ledger, Pruned};
use crate::model::Micros;
use crate::report::text::{local, plural};

pub(super) fn prune(global: &Global, args: &PruneArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let before = clock::now().plus(-args.older_than);
    let pruned = block_on(read(&config, async |ledger| forget(ledger, &config, before).await))??;
    let parts =
        [(pruned.runs, "run"), (pruned.windows, "final window"), (pruned.differences, "healed difference")];
    let parts = parts.map(|(count, noun)| plural(count, noun));
    print(
        format!("forgot from before {}: {}\n", local(before, config.time_zone), parts.join(", ")).as_bytes(),
    )
}

/// Of every flow that any run has ever worked on, configured or not.
async fn forget(ledger: &mut Ledger, config: &Config, before: Micros) -> anyhow::Result<Pruned> {
    let flows: Vec<_> = ledger.holders().await?.into_iter().map(|(flow, _)| flow).collect();
    hold(config, ledger, &flows, async |ledger, lease| {
        let mut sum = Pruned::default();
        for flow in &flows {
            let pruned = ledger.prune_flow(lease, flow, before).await?;
            sum.windows += pruned.windows;
            sum.differences += pruned.differences;
        }
        // First, since runs that something waits for are kept. What the next run would still send is.
        let waiting_before = before.min(clock::now().plus(-PATIENCE));
        ledger.prune_deliveries(before, waiting_before).await?;
        sum.runs = ledger.prune_runs(before).await?;
        Ok(sum)
    })
    .await
}
