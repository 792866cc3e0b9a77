//! `msgrecon run`: reconcile, report, exit.

use super::progress::Progress;
use super::{NotWritten, Usage, block_on, load_config, options, print};
use crate::cli::{Global, RunArgs};
use crate::clock;
use crate::model::Run;
use crate::plan::plan;
use crate::reconcile::reconcile;
use crate::report::{self, write};

pub(super) fn run(global: &Global, args: &RunArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let request = args.selection.request().ok_or_else(no_range)?;
    let as_of = args.selection.as_of.unwrap_or_else(clock::now);
    let plan = plan(&config, &request, &args.selection.flows, as_of)?;
    if let Some(folder) = &args.output {
        // Before the long part, so that a folder that cannot be written costs nothing.
        write::check_folder(folder).map_err(|error| NotWritten(error.to_string()))?;
    }
    for section in &config.idle {
        tracing::warn!(
            "`{section}` is configured and not acted on: this version keeps no ledger and tells nobody; watch the exit code"
        );
    }
    tracing::info!(as_of = %plan.as_of, from = %plan.span.from, until = %plan.span.until, flows = plan.flows.len(), "reconciling");
    let progress = Progress::new(global.quiet);
    let id = clock::run_id(clock::now());
    let run = block_on(reconcile(&plan, &config, id, &|step| progress.show(step)))?;
    progress.clear();
    report(&run, args)?;
    Ok(run.exit_code)
}

fn no_range() -> anyhow::Error {
    Usage(
        "which range? give --date 2026-03-02, --from 2026-03-01 --until 2026-03-08, or --last 24h".to_owned(),
    )
    .into()
}

/// Files first, so that a reader of stdout that goes away costs nothing; a folder that fails costs stdout nothing.
fn report(run: &Run, args: &RunArgs) -> anyhow::Result<()> {
    let options = options(args.csv_raw);
    let written = args.output.as_ref().map(|folder| write::write_all(folder, run, options));
    print(&report::render(run, args.format, options)?)?;
    match written {
        Some(Err(error)) => Err(NotWritten(error.to_string()).into()),
        _ => Ok(()),
    }
}
