//! The command line as types, and nothing else.

mod language;
mod ledger;
mod schedule;

pub use language::LanguageArgs;
pub use ledger::{
    AcknowledgeArgs, DifferencesCommand, ExportArgs, HistoryArgs, ListArgs, ListedState, PruneArgs,
    ReportArgs, StatusArgs, TestNotifyArgs, Which,
};
pub use schedule::ScheduleArgs;

use crate::model::{Kind, memory};
use crate::plan::{Edge, Request};
use crate::report::Format;
use chrono::{DateTime, NaiveDate};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser as _};
use clap::{ArgGroup, Args, Parser, Subcommand, ValueEnum};
use std::path::PathBuf;

use crate::model::Micros;

/// Proves that message producers and their consumers agree, message by message.
///
/// msgrecon reads event tables (outboxes) and the consumers' dedup tables, read-only, and gives every message at every
/// consumer exactly one verdict.
#[derive(Debug, Parser)]
#[command(
    name = "msgrecon",
    version,
    max_term_width = 100,
    subcommand_required = true,
    arg_required_else_help = true
)]
#[command(after_help = "\
Exit codes:
  0   balanced, or below every fail threshold
  1   differences at or above a fail threshold
  2   usage or configuration
  3   incomplete: a source could not be read, or no verdict was possible
  4   judged, but not recorded or not delivered
  75  another run holds the lease")]
pub struct Cli {
    /// Options that every command takes.
    #[command(flatten)]
    pub global: Global,
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// Options that every command takes.
#[derive(Args, Debug)]
#[command(next_help_heading = "Options of every command")]
pub struct Global {
    /// The configuration file.
    #[arg(
        short,
        long,
        global = true,
        value_name = "FILE",
        help = "The configuration file [default: ./msgrecon.toml, then $MSGRECON_CONFIG]"
    )]
    pub config: Option<PathBuf>,
    /// Say less: no progress, errors only.
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub quiet: bool,
    /// Say more; twice for details. `RUST_LOG` overrides it.
    #[arg(short, long, global = true, action = clap::ArgAction::Count)]
    pub verbose: u8,
    /// How log lines look on stderr.
    #[arg(long, global = true, value_enum, default_value_t = LogFormat::Text)]
    pub log_format: LogFormat,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum LogFormat {
    /// For a person.
    Text,
    /// One JSON object a line.
    Json,
}

/// What to do.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Reconcile what is due, or a range, and report
    ///
    /// Without a range the ledger says which windows are due: this is what a schedule runs.
    ///
    /// Examples:
    ///   msgrecon run
    ///   msgrecon run --date 2026-03-02
    ///   msgrecon run --from 2026-03-01 --until 2026-03-08 --flow order-paid --output reports
    ///   msgrecon run --last 24h --format json
    #[command(verbatim_doc_comment)]
    Run(RunArgs),
    /// Print what a run would do, without doing it
    ///
    /// Without a range: what the ledger says is due. It is only read.
    ///
    /// Examples:
    ///   msgrecon plan
    ///   msgrecon plan --date 2026-03-02 --sql
    #[command(verbatim_doc_comment)]
    Plan(PlanArgs),
    /// Show a report again, as its run printed it
    ///
    /// Without a run: the last one that finished. The exit code is 0 once it is shown, whatever the
    /// run found.
    ///
    /// Examples:
    ///   msgrecon report
    ///   msgrecon report 20260303T0600 --format html --output reports
    #[command(verbatim_doc_comment)]
    Report(ReportArgs),
    /// List the runs, newest first
    ///
    /// Example:
    ///   msgrecon history --flow order-paid --limit 7
    #[command(verbatim_doc_comment)]
    History(HistoryArgs),
    /// Say how far each flow is judged, and what is open: a probe for monitoring
    ///
    /// A flow is overdue once a window waits to be judged for longer than --overdue, counted from when
    /// it was due: its end plus `grace` or `stuck_after`, whichever is longer. A flow that no scheduled
    /// run has judged is overdue too. Differences that are open do not count: `run` and `differences`
    /// tell of those.
    ///
    /// Exit codes: 0 no flow is overdue, 1 some flow is, 3 the ledger cannot be read or is not there yet.
    ///
    /// Example:
    ///   msgrecon status --overdue 3h
    #[command(verbatim_doc_comment)]
    Status(StatusArgs),
    /// List differences, make a repair list of them, or say that somebody knows
    #[command(subcommand_required = true, arg_required_else_help = true)]
    Differences {
        /// What to do with them.
        #[command(subcommand)]
        command: DifferencesCommand,
    },
    /// Send a test message to everybody who is to be told, and say whether it arrived
    ///
    /// Examples:
    ///   msgrecon test-notify
    ///   msgrecon test-notify --target mail --target channel:feishu
    ///
    /// Exit codes: 0 all delivered, 4 some not.
    #[command(verbatim_doc_comment)]
    TestNotify(TestNotifyArgs),
    /// Forget what is old: runs and their reports, final windows, differences that healed
    ///
    /// What is open or not judged to its end stays, whatever its age, and so does the last run of each
    /// flow. A flow stays judged up to where it was: pruning makes no hole. Only where `start` is set to
    /// an earlier day later on, a run judges again what was forgotten behind it.
    ///
    /// Exit codes: 0 forgotten, 75 a run is at work, nothing was forgotten.
    ///
    /// Example:
    ///   msgrecon prune --older-than 90d
    #[command(verbatim_doc_comment)]
    Prune(PruneArgs),
    /// Print a crontab, systemd units or Kubernetes manifests for the configuration
    ///
    /// Each value is explained in a comment. Without --every or --cron the job starts as often as the
    /// shortest window ends, and not more often than every 15 minutes, once everything in that window
    /// must have arrived. The configuration is checked; secrets and variables that are not there on this
    /// machine are no hindrance, and none is shown.
    ///
    /// Examples:
    ///   msgrecon schedule -c /etc/msgrecon/msgrecon.toml | crontab -u msgrecon -
    ///   msgrecon schedule --for systemd --output /etc/systemd/system
    ///   msgrecon schedule --for kubernetes --every 6h --image registry.example.com/msgrecon:0.1.0
    #[command(verbatim_doc_comment)]
    Schedule(ScheduleArgs),
    /// Explain a kind: what it means, where the message stopped, what to do.
    Explain {
        /// The kind, as reports write it.
        #[arg(value_parser = kind_parser())]
        kind: Kind,
        /// What it is explained in.
        #[command(flatten)]
        language: LanguageArgs,
    },
    /// Build a small shop with every kind of fault in SQLite files, reconcile it, and show what a report looks like.
    Demo {
        /// The folder to build it in; it must not exist yet, or be of an earlier demo.
        #[arg(long, value_name = "DIR", default_value = "msgrecon-demo")]
        folder: PathBuf,
    },
    /// Move the ledger.
    #[command(subcommand)]
    Ledger(LedgerCommand),
    /// Print a completion script for a shell.
    Completions {
        /// Which shell.
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Print the manual page.
    Man,
}

/// What to do with the ledger as a whole.
#[derive(Debug, Subcommand)]
pub enum LedgerCommand {
    /// Copy everything that another ledger holds into this configuration's, which must be empty
    ///
    /// Example, from SQLite to PostgreSQL: keep the old configuration as old.toml, name the new database under [ledger]
    /// in msgrecon.toml, and then:
    ///   msgrecon ledger copy --from-config old.toml
    #[command(verbatim_doc_comment)]
    Copy {
        /// A configuration whose `[ledger]` is the old one.
        #[arg(long, value_name = "FILE")]
        from_config: PathBuf,
    },
}

/// Which part of time, and which flows.
#[derive(Args, Clone, Debug)]
#[command(group = ArgGroup::new("range").required(false).multiple(false).args(["date", "from", "last"]))]
pub struct Selection {
    /// One day in the configuration's time zone.
    #[arg(long, value_name = "DATE")]
    pub date: Option<NaiveDate>,
    /// Start of the range: a date or an instant (RFC 3339).
    #[arg(long, value_name = "TIME", requires = "until")]
    pub from: Option<Edge>,
    /// End of the range, not included: a date or an instant (RFC 3339).
    #[arg(long, visible_alias = "to", value_name = "TIME", requires = "from")]
    pub until: Option<Edge>,
    /// The last so many hours or days before now.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub last: Option<i64>,
    /// Only this flow; may be given several times.
    #[arg(long = "flow", value_name = "NAME")]
    pub flows: Vec<String>,
    /// Judge as of this instant (RFC 3339) instead of now.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub as_of: Option<Micros>,
}

impl Selection {
    /// The range that is asked for, if any is.
    #[must_use]
    pub fn request(&self) -> Option<Request> {
        match (self.date, self.from, self.until, self.last) {
            (Some(date), ..) => Some(Request::Date(date)),
            (_, Some(from), Some(until), _) => Some(Request::Range(from, until)),
            (.., Some(last)) => Some(Request::Last(last)),
            _ => None,
        }
    }
}

/// Options of `run`.
#[derive(Args, Debug)]
pub struct RunArgs {
    /// Which part of time, and which flows.
    #[command(flatten)]
    pub selection: Selection,
    /// What goes to stdout.
    #[arg(long, value_parser = format_parser(), default_value = "table", value_name = "FORMAT")]
    pub format: Format,
    /// Write report.json, windows.csv, differences.csv and report.html to this folder.
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
    /// Leave CSV cells as they are, even if a spreadsheet would run them as a formula.
    #[arg(long)]
    pub csv_raw: bool,
    /// What report.html is written in.
    #[command(flatten)]
    pub language: LanguageArgs,
    /// What is due, where the ledger says it.
    #[command(flatten)]
    pub due: DueArgs,
    /// Keep nothing of this run in the ledger; it needs a range.
    #[arg(long)]
    pub no_record: bool,
    /// Tell nobody: no mail, no channel.
    #[arg(long)]
    pub no_notify: bool,
    /// Read so many flows side by side [default: `jobs`, else 4].
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..=64).map(|count| count as usize))]
    pub jobs: Option<usize>,
    /// Take no more memory than this, at least 64MiB; what does not fit waits in a temporary file
    /// [default: `max_memory`, else 256MiB].
    #[arg(long, value_name = "SIZE", value_parser = max_memory)]
    pub max_memory: Option<u64>,
    /// Start no statement on any source while this file is there [default: `pause_file`].
    #[arg(long, value_name = "FILE")]
    pub pause_file: Option<PathBuf>,
}

/// Options of a run without a range.
#[derive(Args, Clone, Debug)]
pub struct DueArgs {
    /// Where flows begin: a date or an instant (RFC 3339).
    #[arg(
        long,
        value_name = "TIME",
        conflicts_with = "range",
        help = "Where flows begin: a date or an instant (RFC 3339) [default: `start` of the flow, else yesterday]"
    )]
    pub start: Option<Edge>,
    /// Judge no more new windows of each flow than this.
    #[arg(
        long,
        value_name = "COUNT",
        conflicts_with = "range",
        value_parser = clap::value_parser!(u32).range(1..=100_000).map(|count| count as usize),
        help = "Judge no more new windows of each flow than this; the next runs go on, oldest first [default: 1000]"
    )]
    pub max_windows: Option<usize>,
}

/// Options of `plan`.
#[derive(Args, Debug)]
pub struct PlanArgs {
    /// Which part of time, and which flows.
    #[command(flatten)]
    pub selection: Selection,
    /// Connect, look at the tables' columns and indexes, and print the statements too.
    #[arg(long)]
    pub sql: bool,
    /// What is due, where the ledger says it.
    #[command(flatten)]
    pub due: DueArgs,
}

fn kind_parser() -> impl clap::builder::TypedValueParser<Value = Kind> {
    let names = Kind::ALL.map(|kind| PossibleValue::new(kind.name()).help(kind.info().meaning));
    PossibleValuesParser::new(names).try_map(|name| Kind::from_name(&name).ok_or("no such kind"))
}

fn format_parser() -> impl clap::builder::TypedValueParser<Value = Format> {
    formats(&Format::ALL)
}

fn formats(some: &[Format]) -> impl clap::builder::TypedValueParser<Value = Format> + use<> {
    PossibleValuesParser::new(some.iter().map(|format| format.name()))
        .try_map(|name| Format::from_name(&name).ok_or("no such format"))
}

fn max_memory(text: &str) -> Result<u64, String> {
    let bytes = memory::parse(text).filter(|bytes| *bytes >= memory::LEAST);
    bytes.ok_or_else(|| "an amount of memory of at least 64MiB, such as 256MiB".to_owned())
}

fn instant(text: &str) -> Result<Micros, String> {
    DateTime::parse_from_rfc3339(text)
        .map(|at| Micros(at.timestamp_micros()))
        .map_err(|_| "not an instant with its offset, such as 2026-03-03T06:00:00Z".to_owned())
}

fn duration(text: &str) -> Result<i64, String> {
    let length =
        humantime::parse_duration(text).map_err(|error| format!("{error}; write it as 24h or 7d"))?;
    match i64::try_from(length.as_micros()) {
        Ok(micros @ 1..) => Ok(micros),
        _ => Err("must be longer than nothing and shorter than the age of the world".to_owned()),
    }
}

#[cfg(test)]
mod tests;
