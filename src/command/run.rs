//! `msgrecon run`: reconcile, record, report, exit.

use super::around::{Around, Ended, Laps};
use super::progress::Progress;
use super::telling::{Telling, send_now, send_waiting, surroundings, telling};
use super::{
    NotWritten, Undelivered, Usage, block_on, config_path, exit_code, load_config, page_options, print,
};
use crate::cli::{Global, RunArgs};
use crate::clock;
use crate::config::Config;
use crate::exit;
use crate::ledger::{ErrorKind, Finish, Lease, Ledger, LedgerError};
use crate::model::{Micros, Run};
use crate::notify::Surroundings;
use crate::plan::{Plan, choose, plan};
use crate::reconcile::{Due, Keeping, Reconciled, Watch, reconcile, reconcile_due, reconcile_range};
use crate::report::{Format, Options, render, write};
use crate::schedule::{WINDOWS_MAX, settled_until};
use std::path::Path;
use tokio::sync::Mutex;

pub(super) fn run(global: &Global, args: &RunArgs) -> anyhow::Result<u8> {
    let mut config = load_config(global)?;
    config.max_memory = args.max_memory.unwrap_or(config.max_memory);
    config.pause.file = args.pause_file.clone().or(config.pause.file);
    let as_of = args.selection.as_of.unwrap_or_else(clock::now);
    let work = work(&config, args, as_of)?;
    // Memory is shared out among so many.
    config.jobs = args.jobs.unwrap_or(config.jobs).clamp(1, work.flows().len().max(1));
    let progress = Progress::new(global.quiet);
    let id = clock::run_id(clock::now());
    let around = Around::new(&config, &id, args.output.as_deref());
    let file = config_path(global)?;
    let told = surroundings(&config, Some(&file), args.output.as_deref());
    let job = Job { work: &work, config: &config, args, progress: &progress, id: &id, around: &around, told };
    let outcome = block_on(job.attended())?;
    progress.clear();
    let Some(carried) = outcome? else { return Ok(exit::BUSY) };
    // Only now, since a reader of stdout may take its time, and no other run shall wait for it.
    print(&render(&carried.run, args.format, page_options(args.csv_raw, args.language, &config))?)?;
    match carried.failed {
        Some(error) => Err(error),
        None => Ok(carried.run.exit_code),
    }
}

/// Everything that a run is made of.
struct Job<'a> {
    work: &'a Work,
    config: &'a Config,
    args: &'a RunArgs,
    progress: &'a Progress,
    id: &'a str,
    around: &'a Around<'a>,
    told: Surroundings,
}

/// A run, what of it could not be written, recorded or told, and what the ledger says at its end.
struct Carried {
    run: Run,
    failed: Option<anyhow::Error>,
    ended: Ended,
}

impl Carried {
    fn new(run: Run, unwritten: Option<NotWritten>, unrecorded: Option<LedgerError>) -> Self {
        let unrecorded = unrecorded.map(|error| NotWritten(format!("judged, and not recorded: {error}")));
        Self { run, failed: unwritten.or(unrecorded).map(Into::into), ended: Ended::default() }
    }

    /// With what could not be told: said, unless something worse is.
    fn telling(mut self, undelivered: &[String]) -> Self {
        if !undelivered.is_empty() {
            let error = Undelivered(format!("judged, and not delivered: {}", undelivered.join("; ")));
            match &self.failed {
                Some(_) => tracing::error!("{error}"),
                None => self.failed = Some(error.into()),
            }
        }
        self
    }

    fn code(&self) -> u8 {
        self.failed.as_ref().map_or(self.run.exit_code, exit_code)
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

impl Job<'_> {
    /// The run, with what happens before and after it.
    async fn attended(&self) -> anyhow::Result<Option<Carried>> {
        let outcome = match self.around.before().await {
            Ok(()) => self.carry_out().await,
            Err(error) => Err(anyhow::anyhow!("nothing was judged: {error}")),
        };
        let code = match &outcome {
            Ok(Some(carried)) => carried.code(),
            Ok(None) => exit::BUSY,
            Err(error) => exit_code(error),
        };
        let carried = outcome.as_ref().ok().and_then(Option::as_ref);
        let nothing = Ended::default();
        let ended = carried.map_or(&nothing, |carried| &carried.ended);
        let failed = self.around.after(code, carried.map(|carried| &carried.run), ended).await;
        outcome.map(|carried| carried.map(|carried| carried.telling(&failed)))
    }

    /// Takes the lease, reconciles, records, reports, tells; `None` where another run has the lease.
    async fn carry_out(&self) -> anyhow::Result<Option<Carried>> {
        let taken = if self.args.no_record { Ok(None) } else { self.take().await.map(Some) };
        let (mut ledger, lease) = match (taken, self.work) {
            (Ok(Some(taken)), _) => taken,
            (Ok(None), Work::Range(plan)) => return self.unrecorded(plan, None).await.map(Some),
            (Err(error), _) if error.kind == ErrorKind::Busy => {
                tracing::warn!("{error}");
                return Ok(None);
            }
            (Err(error), Work::Range(plan)) if error.kind == ErrorKind::Away => {
                return self.unrecorded(plan, Some(error)).await.map(Some);
            }
            (Err(error), _) => return Err(error.into()),
            (Ok(None), Work::Due(_)) => return Err(Usage("which range?".to_owned()).into()),
        };
        let outcome = match check_folder(self.args) {
            Ok(()) => self.reconciled(&mut ledger, &lease).await,
            Err(error) => Err(error),
        };
        lease.free(&mut ledger).await;
        ledger.close().await;
        outcome
    }

    async fn take(&self) -> Result<(Ledger, Lease), LedgerError> {
        let url = &self.config.ledger.url;
        let mut ledger = Ledger::open(url, true).await?;
        match Lease::take(&mut ledger, url, self.id, &self.work.flows()).await {
            Ok(lease) => Ok((ledger, lease)),
            Err(error) => {
                ledger.close().await;
                Err(error)
            }
        }
    }

    /// A range, without the ledger. Where that is away: somebody waits for the range, and better told and not recorded
    /// than not told.
    async fn unrecorded(&self, plan: &Plan, unrecorded: Option<LedgerError>) -> anyhow::Result<Carried> {
        check_folder(self.args)?;
        if let Some(error) = &unrecorded {
            tracing::warn!("{error}; the range is judged and not recorded");
        }
        self.around.start().await;
        let run = reconcile(plan, self.config, self.id.to_owned(), &|step| self.progress.show(step)).await;
        self.progress.clear();
        let unwritten = write_files(&run, self.args, self.config);
        let untold =
            if self.args.no_notify { Vec::new() } else { send_now(self.config, &run, &self.told).await };
        Ok(Carried::new(run, unwritten, unrecorded).telling(&untold))
    }

    /// The report's files are written before the run is marked as finished: one that dies in between, or cannot write
    /// them, leaves what it has judged to the next run, which reports all of it.
    async fn reconciled(&self, ledger: &mut Ledger, lease: &Lease) -> anyhow::Result<Option<Carried>> {
        let (as_of, scheduled) = match self.work {
            Work::Due(due) => (due.as_of, true),
            Work::Range(plan) => (plan.as_of, false),
        };
        let begun = ledger.begin_run(lease, as_of, clock::now(), scheduled, &self.work.flows()).await;
        match (begun, self.work) {
            (Err(error), Work::Range(plan)) if error.kind == ErrorKind::Away => {
                return self.unrecorded(plan, Some(error)).await.map(Some);
            }
            (begun, _) => begun?,
        }
        self.around.start().await;
        let mut laps = Laps::begin();
        let mut outcome = self.judged(ledger, lease).await;
        laps.end("judge");
        if let Some(error) = outcome.unrecorded.take_if(|_| is_vacuous(&outcome.run)) {
            return Err(error.into());
        }
        self.progress.clear();
        if outcome.unrecorded.is_none() {
            outcome.unrecorded = ledger.assert_held(lease).await.err();
        }
        if is_lost(&outcome) {
            return Ok(None);
        }
        let unwritten = write_files(&outcome.run, self.args, self.config);
        if unwritten.is_some() {
            ledger.give_up(lease).await;
            return Ok(Some(Carried::new(outcome.run, unwritten, None)));
        }
        laps.end("report");
        self.ended(outcome, as_of, (ledger, lease), laps).await
    }

    async fn judged(&self, ledger: &mut Ledger, lease: &Lease) -> Reconciled {
        let ledger = Mutex::new(ledger);
        let keeping = Keeping { ledger: &ledger, lease, zone: self.config.time_zone };
        let watch: Watch<'_> = &|step| self.progress.show(step);
        match self.work {
            Work::Due(due) => reconcile_due(due, self.config, keeping, watch).await,
            Work::Range(plan) => reconcile_range(plan, self.config, keeping, watch).await,
        }
    }

    /// Marks the run as finished, with what is to be told of it; and tells it.
    async fn ended(
        &self,
        mut outcome: Reconciled,
        as_of: Micros,
        (ledger, lease): (&mut Ledger, &Lease),
        mut laps: Laps,
    ) -> anyhow::Result<Option<Carried>> {
        if outcome.unrecorded.is_none() {
            outcome.unrecorded = self.finish(&outcome.run, as_of, ledger, lease).await.err();
        }
        laps.end("record");
        if is_lost(&outcome) {
            return Ok(None);
        }
        let untold = match (self.args.no_notify, &outcome.unrecorded) {
            (true, _) => Vec::new(),
            (false, None) => send_waiting(ledger, lease, self.config, &outcome.run, &self.told).await,
            (false, Some(_)) => send_now(self.config, &outcome.run, &self.told).await,
        };
        laps.end("notify");
        let mut carried = Carried::new(outcome.run, None, outcome.unrecorded).telling(&untold);
        carried.ended = Ended { stages: laps.taken(), ..last_words(ledger, self.config).await };
        Ok(Some(carried))
    }

    async fn finish(
        &self,
        run: &Run,
        as_of: Micros,
        ledger: &mut Ledger,
        lease: &Lease,
    ) -> Result<(), LedgerError> {
        let Telling { alerts, deliveries } =
            if self.args.no_notify { Telling::default() } else { telling(ledger, self.config, run).await? };
        let flows = self.config.flows.iter().filter(|flow| self.work.flows().contains(&flow.name));
        let settled = flows
            .map(|flow| (flow.name.clone(), settled_until(flow, as_of).plus(-flow.recheck), flow.recheck));
        let finish = Finish {
            run,
            at: clock::now(),
            settled: settled.collect(),
            alerts: &alerts,
            deliveries: &deliveries,
        };
        ledger.finish(lease, &finish).await
    }
}

/// What the ledger says at a run's end. Only metrics need it, so one that does not answer costs nothing else. Alerts of
/// flows that are not in the configuration any more are nobody's.
async fn last_words(ledger: &mut Ledger, config: &Config) -> Ended {
    let mut alerts = ledger.active_alerts().await.ok();
    if let Some(alerts) = &mut alerts {
        alerts.retain(|alert| config.flows.iter().any(|flow| flow.name == alert.key.flow));
    }
    Ended {
        alerts,
        undelivered: ledger.undelivered().await.ok(),
        last_success: ledger.last_success().await.unwrap_or_default(),
        stages: Vec::new(),
    }
}

/// Before the long part, so that a folder that cannot be written costs nothing; after the lease, so that a run that finds
/// another at work touches nothing.
fn check_folder(args: &RunArgs) -> anyhow::Result<()> {
    let checked = args.output.as_ref().map_or(Ok(()), |folder| write::check_folder(folder));
    checked.map_err(|error| NotWritten(error.to_string()).into())
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
