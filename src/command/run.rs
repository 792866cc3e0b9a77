//! `msgrecon run`: reconcile, record, report, exit.

use super::progress::Progress;
use super::{NotWritten, Usage, block_on, load_config, page_options, print};
use crate::cli::{Global, RunArgs};
use crate::clock;
use crate::config::Config;
use crate::exit;
use crate::ledger::{ErrorKind, Finish, Lease, Ledger, LedgerError};
use crate::model::{Micros, Run};
use crate::plan::{Plan, choose, plan};
use crate::reconcile::{Due, Keeping, Reconciled, Watch, reconcile, reconcile_due, reconcile_range};
use crate::report::{Format, Options, render, write};
use crate::schedule::{WINDOWS_MAX, settled_until};
use std::path::Path;

pub(super) fn run(global: &Global, args: &RunArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let as_of = args.selection.as_of.unwrap_or_else(clock::now);
    let work = work(&config, args, as_of)?;
    let progress = Progress::new(global.quiet);
    let outcome = block_on(carry_out(&work, &config, args, &progress))?;
    progress.clear();
    let Some(Carried { run, failed }) = outcome? else { return Ok(exit::BUSY) };
    // Only now, since a reader of stdout may take its time, and no other run shall wait for it.
    print(&render(&run, args.format, page_options(args.csv_raw, args.language, &config))?)?;
    match failed {
        Some(error) => Err(error.into()),
        None => Ok(run.exit_code),
    }
}

/// A run, and what of it could not be written or recorded.
struct Carried {
    run: Run,
    failed: Option<NotWritten>,
}

impl Carried {
    fn new(run: Run, unwritten: Option<NotWritten>, unrecorded: Option<LedgerError>) -> Self {
        let unrecorded = unrecorded.map(|error| NotWritten(format!("judged, and not recorded: {error}")));
        Self { run, failed: unwritten.or(unrecorded) }
    }
}

/// What a run has to do.
enum Work {
    /// What the ledger says is due.
    Due(Due),
    /// A range that somebody asks for.
    Range(Plan),
}

impl Work {
    fn flows(&self) -> Vec<String> {
        match self {
            Self::Due(due) => due.flows.iter().map(|flow| flow.name.clone()).collect(),
            Self::Range(plan) => plan.flows.iter().map(|flow| flow.flow.name.clone()).collect(),
        }
    }
}

fn work(config: &Config, args: &RunArgs, as_of: Micros) -> anyhow::Result<Work> {
    let selection = &args.selection;
    if let Some(request) = selection.request() {
        let plan = plan(config, &request, &selection.flows, as_of)?;
        tracing::info!(as_of = %plan.as_of, from = %plan.span.from, until = %plan.span.until, flows = plan.flows.len(), "reconciling");
        return Ok(Work::Range(plan));
    }
    if args.no_record {
        let message = "which range? without the ledger nothing says what is due: give --date, --from and --until, or --last";
        return Err(Usage(message.to_owned()).into());
    }
    let flows = choose(config, &selection.flows)?.into_iter().cloned().collect();
    let start = args.due.start.map(|edge| edge.instant(config.time_zone));
    Ok(Work::Due(Due { flows, as_of, start, windows_max: args.due.max_windows.unwrap_or(WINDOWS_MAX) }))
}

/// Takes the lease, reconciles, records, reports; `None` where another run has the lease.
async fn carry_out(
    work: &Work,
    config: &Config,
    args: &RunArgs,
    progress: &Progress,
) -> anyhow::Result<Option<Carried>> {
    let id = clock::run_id(clock::now());
    let taken = if args.no_record { Ok(None) } else { take(work, config, &id).await.map(Some) };
    let (mut ledger, lease) = match (taken, work) {
        (Ok(Some(taken)), _) => taken,
        (Ok(None), Work::Range(plan)) => {
            return unrecorded(plan, config, args, progress, (id, None)).await.map(Some);
        }
        (Err(error), _) if error.kind == ErrorKind::Busy => {
            tracing::warn!("{error}");
            return Ok(None);
        }
        (Err(error), Work::Range(plan)) if error.kind == ErrorKind::Away => {
            return unrecorded(plan, config, args, progress, (id, Some(error))).await.map(Some);
        }
        (Err(error), _) => return Err(error.into()),
        (Ok(None), Work::Due(_)) => return Err(Usage("which range?".to_owned()).into()),
    };
    let outcome = match check_folder(args) {
        Ok(()) => reconciled(work, config, args, (&mut ledger, &lease), progress).await,
        Err(error) => Err(error),
    };
    lease.free(&mut ledger).await;
    ledger.close().await;
    outcome
}

/// Before the long part, so that a folder that cannot be written costs nothing; after the lease, so that a run that finds
/// another at work touches nothing.
fn check_folder(args: &RunArgs) -> anyhow::Result<()> {
    let checked = args.output.as_ref().map_or(Ok(()), |folder| write::check_folder(folder));
    checked.map_err(|error| NotWritten(error.to_string()).into())
}

async fn take(work: &Work, config: &Config, id: &str) -> Result<(Ledger, Lease), LedgerError> {
    let url = &config.ledger.url;
    let mut ledger = Ledger::open(url, true).await?;
    match Lease::take(&mut ledger, url, id, &work.flows()).await {
        Ok(lease) => Ok((ledger, lease)),
        Err(error) => {
            ledger.close().await;
            Err(error)
        }
    }
}

/// A range, without the ledger. Where that is away: somebody waits for the range, and better told and not recorded than
/// not told.
async fn unrecorded(
    plan: &Plan,
    config: &Config,
    args: &RunArgs,
    progress: &Progress,
    (id, unrecorded): (String, Option<LedgerError>),
) -> anyhow::Result<Carried> {
    check_folder(args)?;
    if let Some(error) = &unrecorded {
        tracing::warn!("{error}; the range is judged and not recorded");
    }
    let run = reconcile(plan, config, id, &|step| progress.show(step)).await;
    progress.clear();
    let unwritten = write_files(&run, args, config);
    Ok(Carried::new(run, unwritten, unrecorded))
}

/// The report's files are written before the run is marked as finished: one that dies in between, or cannot write them,
/// leaves what it has judged to the next run, which reports all of it.
async fn reconciled(
    work: &Work,
    config: &Config,
    args: &RunArgs,
    (ledger, lease): (&mut Ledger, &Lease),
    progress: &Progress,
) -> anyhow::Result<Option<Carried>> {
    let (as_of, scheduled) = match work {
        Work::Due(due) => (due.as_of, true),
        Work::Range(plan) => (plan.as_of, false),
    };
    let begun = ledger.begin_run(lease, as_of, clock::now(), scheduled, &work.flows()).await;
    match (begun, work) {
        (Err(error), Work::Range(plan)) if error.kind == ErrorKind::Away => {
            let id = lease.run().to_owned();
            return unrecorded(plan, config, args, progress, (id, Some(error))).await.map(Some);
        }
        (begun, _) => begun?,
    }
    let mut keeping = Keeping { ledger, lease, zone: config.time_zone };
    let watch: Watch<'_> = &|step| progress.show(step);
    let mut outcome = match work {
        Work::Due(due) => reconcile_due(due, config, &mut keeping, watch).await,
        Work::Range(plan) => reconcile_range(plan, config, &mut keeping, watch).await,
    };
    if let Some(error) = outcome.unrecorded.take_if(|_| is_vacuous(&outcome.run)) {
        return Err(error.into());
    }
    progress.clear();
    if outcome.unrecorded.is_none() {
        outcome.unrecorded = ledger.assert_held(lease).await.err();
    }
    if is_lost(&outcome) {
        return Ok(None);
    }
    let unwritten = write_files(&outcome.run, args, config);
    if unwritten.is_some() {
        ledger.give_up(lease).await;
        return Ok(Some(Carried::new(outcome.run, unwritten, None)));
    }
    if outcome.unrecorded.is_none() {
        let flows = config.flows.iter().filter(|flow| work.flows().contains(&flow.name));
        let settled = flows
            .map(|flow| (flow.name.clone(), settled_until(flow, as_of).plus(-flow.recheck), flow.recheck));
        let finish = Finish { run: &outcome.run, at: clock::now(), settled: settled.collect() };
        outcome.unrecorded = ledger.finish(lease, &finish).await.err();
    }
    let outcome = Some(outcome).filter(|outcome| !is_lost(outcome));
    Ok(outcome.map(|outcome| Carried::new(outcome.run, None, outcome.unrecorded)))
}

/// The files of `--output`; what went wrong, if something did.
fn write_files(run: &Run, args: &RunArgs, config: &Config) -> Option<NotWritten> {
    let folder = args.output.as_ref()?;
    let written = write::write_all(folder, run, page_options(args.csv_raw, args.language, config));
    written.err().map(|error| NotWritten(error.to_string()))
}

/// Whether another run has taken over: what that one finds counts.
fn is_lost(outcome: &Reconciled) -> bool {
    let lost = outcome.unrecorded.as_ref().filter(|error| error.kind == ErrorKind::Lost);
    lost.inspect(|error| tracing::warn!("{error}")).is_some()
}

/// Whether nothing at all was judged: then there is nothing that could only not be recorded.
fn is_vacuous(run: &Run) -> bool {
    run.flows.iter().all(|flow| !flow.complete && flow.windows.is_empty())
}

/// Files first, so that a reader of stdout that goes away costs nothing; a folder that fails costs stdout nothing.
pub(super) fn show(run: &Run, format: Format, output: Option<&Path>, options: Options) -> anyhow::Result<()> {
    let written = output.map(|folder| write::write_all(folder, run, options));
    print(&render(run, format, options)?)?;
    match written {
        Some(Err(error)) => Err(NotWritten(error.to_string()).into()),
        _ => Ok(()),
    }
}
