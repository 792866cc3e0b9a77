//! Options of the commands around the ledger.

use super::{LanguageArgs, duration, format_parser, formats, instant};
use crate::model::{Kind, Micros};
use crate::plan::Edge;
use crate::report::Format;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand, ValueEnum};
use std::path::PathBuf;

const LISTS: [Format; 3] = [Format::Table, Format::Csv, Format::Json];

/// Options of `report`.
#[derive(Args, Debug)]
pub struct ReportArgs {
    /// A run's id, or its beginning where no other begins so [default: the last run that finished].
    #[arg(value_name = "RUN")]
    pub run: Option<String>,
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
}

/// Options of `history`.
#[derive(Args, Debug)]
pub struct HistoryArgs {
    /// Only runs of this flow, with its own numbers.
    #[arg(long, value_name = "NAME")]
    pub flow: Option<String>,
    /// No more runs than this.
    #[arg(long, value_name = "COUNT", default_value = "20", value_parser = count())]
    pub limit: usize,
    /// What goes to stdout.
    #[arg(long, value_parser = formats(&LISTS), default_value = "table", value_name = "FORMAT")]
    pub format: Format,
    /// Leave CSV cells as they are, even if a spreadsheet would run them as a formula.
    #[arg(long)]
    pub csv_raw: bool,
}

/// Options of `status`.
#[derive(Args, Debug)]
pub struct StatusArgs {
    /// Only this flow; may be given several times.
    #[arg(long = "flow", value_name = "NAME")]
    pub flows: Vec<String>,
    /// How long a window may wait to be judged.
    #[arg(
        long,
        value_name = "DURATION",
        value_parser = duration,
        help = "How long a window may wait to be judged, once it is due [default: one window + 1h]"
    )]
    pub overdue: Option<i64>,
    /// What goes to stdout.
    #[arg(long, value_parser = formats(&[Format::Table, Format::Json]), default_value = "table", value_name = "FORMAT")]
    pub format: Format,
    /// As of this instant (RFC 3339) instead of now.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub as_of: Option<Micros>,
}

/// Options of `prune`.
#[derive(Args, Debug)]
pub struct PruneArgs {
    /// How old: by the begin of a run, the end of a window, the day a difference healed.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub older_than: i64,
}

/// What to do with differences.
#[derive(Debug, Subcommand)]
pub enum DifferencesCommand {
    /// List differences by flow, consumer and id, with everything that the ledger knows of them
    ///
    /// Examples:
    ///   msgrecon differences list --consumer points --older-than 2d
    ///   msgrecon differences list --id order-2041 --state all --format json
    #[command(verbatim_doc_comment)]
    List(ListArgs),
    /// Make a repair list: what to do with each open difference. Nothing is done
    ///
    /// Each one is looked up in the sources again at this moment. Those that differ no more are left
    /// out, and those that cannot be looked up are too; stderr says how many and why.
    ///
    /// Actions: `replay` (missing), `requeue` (`dead_lettered`), `mark_sent` (`ack_lost`), `re_arm`
    /// (stuck, `publish_failed`), `ignore` (duplicate, late), `inspect` (orphan, unattributable).
    ///
    /// Exit codes: 0 all were looked up, 3 some could not be.
    ///
    /// Example:
    ///   msgrecon differences export --flow order-paid --consumer points --output points.csv
    #[command(verbatim_doc_comment)]
    Export(ExportArgs),
    /// Say that somebody knows of open differences, until some day
    ///
    /// Until then they are counted and listed, and no threshold counts them. What becomes another kind
    /// of difference is no longer acknowledged. All ids must be open differences that fit, or nothing is
    /// acknowledged.
    ///
    /// Exit codes: 0 acknowledged, 2 an id is no open difference, 75 a run is at work.
    ///
    /// Examples:
    ///   msgrecon differences acknowledge order-2041 --until 2026-03-09 --reason "OPS-17: replayed"
    ///   msgrecon differences acknowledge - --flow order-paid --clear < ids.txt
    #[command(verbatim_doc_comment)]
    Acknowledge(AcknowledgeArgs),
}

/// Which differences.
#[derive(Args, Clone, Debug)]
pub struct Which {
    /// Only of this flow.
    #[arg(long, value_name = "NAME")]
    pub flow: Option<String>,
    /// Only at this consumer; `-` for the producer alone.
    #[arg(long, value_name = "NAME", allow_hyphen_values = true)]
    pub consumer: Option<String>,
    /// Only of this kind.
    #[arg(long, value_name = "KIND", value_parser = difference_kinds())]
    pub kind: Option<Kind>,
}

/// Which state.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ListedState {
    /// Somebody has to act.
    Open,
    /// Open, and somebody knows of it.
    Acknowledged,
    /// Nothing is left to do.
    Resolved,
    /// Given up: the sources no longer hold what could tell.
    Expired,
    /// Every one that the ledger holds.
    All,
}

/// Options of `differences list`.
#[derive(Args, Debug)]
pub struct ListArgs {
    /// Which differences.
    #[command(flatten)]
    pub which: Which,
    /// Only in this state.
    #[arg(long, value_enum, default_value_t = ListedState::Open)]
    pub state: ListedState,
    /// Only those first seen longer ago than this.
    #[arg(long, value_name = "DURATION", value_parser = duration)]
    pub older_than: Option<i64>,
    /// Only those of this message, as reports show its id.
    #[arg(long, value_name = "ID", allow_hyphen_values = true)]
    pub id: Option<String>,
    /// No more than this; whether there are more is said.
    #[arg(long, value_name = "COUNT", default_value = "1000", value_parser = count())]
    pub limit: usize,
    /// What goes to stdout.
    #[arg(long, value_parser = formats(&LISTS), default_value = "table", value_name = "FORMAT")]
    pub format: Format,
    /// Leave CSV cells as they are, even if a spreadsheet would run them as a formula.
    #[arg(long)]
    pub csv_raw: bool,
    /// As of this instant (RFC 3339) instead of now.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub as_of: Option<Micros>,
}

/// Options of `differences export`.
#[derive(Args, Debug)]
pub struct ExportArgs {
    /// Which differences.
    #[command(flatten)]
    pub which: Which,
    /// Take in those that somebody knows of.
    #[arg(long)]
    pub include_acknowledged: bool,
    /// How the list is written.
    #[arg(long, value_parser = formats(&[Format::Csv, Format::Json]), default_value = "csv", value_name = "FORMAT")]
    pub format: Format,
    /// Write to this file instead of stdout; it appears when it is whole.
    #[arg(long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Leave CSV cells as they are, even if a spreadsheet would run them as a formula.
    #[arg(long)]
    pub csv_raw: bool,
    /// Judge as of this instant (RFC 3339) instead of now.
    #[arg(long, value_name = "TIME", value_parser = instant)]
    pub as_of: Option<Micros>,
}

/// Options of `differences acknowledge`.
#[derive(Args, Debug)]
pub struct AcknowledgeArgs {
    /// Ids as reports show them; `-` reads them from stdin, one a line.
    #[arg(required = true, value_name = "ID")]
    pub ids: Vec<String>,
    /// Until when: a date or an instant (RFC 3339) that is still to come.
    #[arg(long, value_name = "TIME", required_unless_present = "clear")]
    pub until: Option<Edge>,
    /// Why: who knows, what is being done.
    #[arg(long, value_name = "TEXT", required_unless_present = "clear")]
    pub reason: Option<String>,
    /// Take an acknowledgement back.
    #[arg(long, conflicts_with_all = ["until", "reason"])]
    pub clear: bool,
    /// Which differences.
    #[command(flatten)]
    pub which: Which,
}

fn count() -> impl TypedValueParser<Value = usize> {
    clap::value_parser!(u32).range(1..).map(|count| count as usize)
}

fn difference_kinds() -> impl TypedValueParser<Value = Kind> {
    let kinds = Kind::ALL.into_iter().filter(|kind| kind.is_difference());
    PossibleValuesParser::new(kinds.map(Kind::name).collect::<Vec<_>>())
        .try_map(|name| Kind::from_name(&name).ok_or("no such kind"))
}
