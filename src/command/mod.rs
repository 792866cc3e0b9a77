//! The commands: each reads what it needs, calls the library and prints. No rule of reconciliation lives here.

mod around;
mod demo;
mod differences;
mod history;
mod keeper;
mod ledger;
mod plan;
mod progress;
mod prune;
mod report;
mod run;
mod schedule;
mod status;
mod telling;
mod test_notify;

use crate::cli::{Cli, Command, Global, LanguageArgs, LedgerCommand, LogFormat};
use crate::config::{self, Config};
use crate::exit;
use crate::language::Language;
use crate::ledger::{ErrorKind, LedgerError};
use crate::plan::PlanError;
use crate::report::{Options, explain};
use clap::CommandFactory as _;
use std::io::{self, IsTerminal as _, Write as _};
use std::path::{Path, PathBuf};
use tokio::signal::unix::{SignalKind, signal};
use tracing_subscriber::EnvFilter;

/// An error of usage or configuration, for which a retry does not help.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Usage(String);

/// A report could not be written: what was judged is not recorded.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct NotWritten(String);

/// What was judged and recorded could not be told to somebody.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
struct Undelivered(String);

/// Somebody asked for an end.
#[derive(Debug, thiserror::Error)]
#[error("ended before its end, as asked for; the next run goes on from what was recorded")]
struct Ended(u8);

/// Carries out a command; gives the exit code.
///
/// # Errors
/// What kept the command from being carried out; see [`exit_code`].
pub fn run(cli: &Cli) -> anyhow::Result<u8> {
    match &cli.command {
        Command::Run(args) => run::run(&cli.global, args),
        Command::Plan(args) => plan::plan(&cli.global, args),
        Command::Report(args) => report::report(&cli.global, args),
        Command::History(args) => history::history(&cli.global, args),
        Command::Status(args) => status::status(&cli.global, args),
        Command::Differences { command } => differences::differences(&cli.global, command),
        Command::TestNotify(args) => test_notify::test_notify(&cli.global, args),
        Command::Prune(args) => prune::prune(&cli.global, args),
        Command::Schedule(args) => schedule::schedule(&cli.global, args),
        Command::Explain { kind, language } => {
            // It needs no configuration, and complains of none.
            let language = language_of(*language, load_config(&cli.global).ok().as_ref());
            print(explain::explain(*kind, usize::from(width()), language).as_bytes())
        }
        Command::Demo { folder } => demo::demo(&cli.global, folder),
        Command::Ledger(LedgerCommand::Copy { from_config }) => ledger::copy(&cli.global, from_config),
        Command::Completions { shell } => {
            let mut script = Vec::new();
            clap_complete::generate(*shell, &mut Cli::command(), "msgrecon", &mut script);
            print(&script)
        }
        Command::Man => {
            let mut page = Vec::new();
            clap_mangen::Man::new(Cli::command()).render(&mut page)?;
            print(&page)
        }
    }
}

/// The exit code for an error of [`run`].
#[must_use]
pub fn exit_code(error: &anyhow::Error) -> u8 {
    if let Some(Ended(code)) = error.downcast_ref() {
        *code
    } else if let Some(error) = error.downcast_ref::<LedgerError>() {
        of_ledger(error.kind)
    } else if error.is::<NotWritten>() || error.is::<Undelivered>() {
        exit::NOT_DELIVERED
    } else if error.is::<Usage>() || error.is::<config::Problems>() || error.is::<PlanError>() {
        exit::USAGE
    } else {
        exit::INCOMPLETE
    }
}

fn of_ledger(kind: ErrorKind) -> u8 {
    match kind {
        ErrorKind::Configuration | ErrorKind::Absent => exit::USAGE,
        ErrorKind::Away => exit::INCOMPLETE,
        ErrorKind::Busy | ErrorKind::Lost => exit::BUSY,
    }
}

/// Says on stderr what kept a command from being carried out.
pub fn complain(global: &Global, error: &anyhow::Error) {
    match global.log_format {
        LogFormat::Json => tracing::error!("{error:#}"),
        LogFormat::Text => eprintln!("error: {error:#}"),
    }
}

/// Sends logs to stderr: warnings by default, errors only when quiet, more when asked.
pub fn start_log(global: &Global) {
    let level = match (global.quiet, global.verbose) {
        (true, _) => "error",
        (false, 0) => "warn",
        (false, 1) => "msgrecon=info,warn",
        (false, _) => "msgrecon=debug,info",
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    let log = tracing_subscriber::fmt().with_env_filter(filter).with_writer(io::stderr);
    match global.log_format {
        LogFormat::Text => log.with_ansi(io::stderr().is_terminal() && colour_wanted()).init(),
        LogFormat::Json => log.json().init(),
    }
}

/// Writes to stdout; a reader that went away (`| head`) is no error.
fn print(bytes: &[u8]) -> anyhow::Result<u8> {
    let mut out = io::stdout().lock();
    match out.write_all(bytes).and_then(|()| out.flush()) {
        Err(error) if error.kind() != io::ErrorKind::BrokenPipe => {
            Err(NotWritten(format!("cannot write to stdout: {error}")).into())
        }
        _ => Ok(exit::OK),
    }
}

/// Whether whoever reads what is written still does: one that went away (`| head`) is no error.
fn still_read(outcome: io::Result<()>) -> anyhow::Result<bool> {
    match outcome {
        Ok(()) => Ok(true),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Ok(false),
        Err(error) => Err(NotWritten(format!("cannot write: {error}")).into()),
    }
}

fn width() -> u16 {
    terminal_size::terminal_size().map_or(100, |(width, _)| width.0.max(40))
}

fn colour_wanted() -> bool {
    std::env::var_os("NO_COLOR").is_none_or(|value| value.is_empty())
}

fn options(csv_raw: bool) -> Options {
    let colour = io::stdout().is_terminal() && colour_wanted();
    Options { width: width(), colour, csv_raw, language: Language::En }
}

/// The same for a report, in its language.
fn page_options(csv_raw: bool, language: LanguageArgs, config: &Config) -> Options {
    Options { language: language_of(language, Some(config)), ..options(csv_raw) }
}

/// The language that is asked for, else that of the mails.
fn language_of(args: LanguageArgs, config: Option<&Config>) -> Language {
    let configured = || config?.notify.mail.as_ref().map(|mail| mail.language);
    args.asked.or_else(configured).unwrap_or_default()
}

/// `-c`, else `./msgrecon.toml`, else `$MSGRECON_CONFIG`.
fn config_path(global: &Global) -> anyhow::Result<PathBuf> {
    let here = Path::new("msgrecon.toml");
    if let Some(path) = &global.config {
        return Ok(path.clone());
    }
    if here.exists() {
        return Ok(here.to_owned());
    }
    std::env::var_os("MSGRECON_CONFIG").map(PathBuf::from).ok_or_else(|| {
        let message = "no configuration: there is no ./msgrecon.toml and $MSGRECON_CONFIG is not set; name a file with -c, or see one at work with `msgrecon demo`";
        Usage(message.to_owned()).into()
    })
}

fn load_config(global: &Global) -> anyhow::Result<Config> {
    let path = config_path(global)?;
    Ok(config::load(&path, &|name| std::env::var(name).ok())?)
}

/// Runs a future to its end on all cores, or until somebody asks for an end. As the first process of a container the
/// program would be deaf to that otherwise. Whatever is under way is left as a kill would leave it: the next run heals it.
fn block_on<T>(work: impl Future<Output = T>) -> anyhow::Result<T> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build()?;
    let outcome = runtime.block_on(async {
        let mut terminate = signal(SignalKind::terminate())?;
        let mut interrupt = signal(SignalKind::interrupt())?;
        tokio::select! {
            done = work => Ok(done),
            _ = terminate.recv() => Err(Ended(exit::TERMINATED).into()),
            _ = interrupt.recv() => Err(Ended(exit::INTERRUPTED).into()),
        }
    });
    // A request that nobody waits for any more does not hold up the end.
    runtime.shutdown_background();
    outcome
}
