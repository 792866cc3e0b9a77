//! `msgrecon history`: the runs, newest first.

use super::keeper::read;
use super::{block_on, load_config, options, print};
use crate::cli::{Global, HistoryArgs};
use crate::config::Config;
use crate::ledger::{Ledger, RunHistory};
use crate::listing::history::{Listed, write};
use crate::plan::choose;
use crate::report::Format;

pub(super) fn history(global: &Global, args: &HistoryArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let runs = block_on(read(&config, async |ledger| listed(ledger, &config, args).await))??;
    if runs.is_empty() && args.format == Format::Table {
        return print(b"no run yet\n");
    }
    let mut bytes = Vec::new();
    write(&mut bytes, &runs, args.format, config.time_zone, options(args.csv_raw))?;
    print(&bytes)
}

async fn listed(ledger: &mut Ledger, config: &Config, args: &HistoryArgs) -> anyhow::Result<Vec<Listed>> {
    let runs = ledger.runs(args.flow.as_deref(), args.limit).await?;
    if let Some(flow) = args.flow.as_ref().filter(|_| runs.is_empty()) {
        // A flow that only the ledger remembers is no mistake, one that nobody knows is.
        choose(config, std::slice::from_ref(flow))?;
    }
    let mut listed = Vec::new();
    for run in truthful(ledger, runs).await? {
        let flow = match &args.flow {
            Some(name) => ledger.run_flows(&run.run).await?.into_iter().find(|flow| flow.flow == *name),
            None => None,
        };
        listed.push(Listed { run, flow });
    }
    Ok(listed)
}

/// The ledger learns that a run was killed when the next one begins; until then only its lease tells.
pub(super) async fn truthful(
    ledger: &mut Ledger,
    mut runs: Vec<RunHistory>,
) -> anyhow::Result<Vec<RunHistory>> {
    if runs.iter().any(|run| run.state == "running") {
        let holders = ledger.holders().await?;
        let at_work = |run: &str| holders.iter().any(|(_, holder)| holder.as_deref() == Some(run));
        for run in runs.iter_mut().filter(|run| run.state == "running" && !at_work(&run.run)) {
            "killed".clone_into(&mut run.state);
        }
    }
    Ok(runs)
}
