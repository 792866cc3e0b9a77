//! Options of `schedule`.

use super::duration;
use crate::jobfile::Scheduler;
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};
use std::path::PathBuf;

/// Options of `schedule`.
#[derive(Args, Debug)]
pub struct ScheduleArgs {
    /// Who starts the job.
    #[arg(long = "for", value_name = "SCHEDULER", value_parser = schedulers(), default_value = "crontab")]
    pub scheduler: Scheduler,
    /// How often it starts: 5m to 1d, what divides the hour or the day.
    #[arg(long, value_name = "DURATION", value_parser = duration, conflicts_with = "cron")]
    pub every: Option<i64>,
    /// When it starts, as the five fields of a crontab.
    #[arg(long, value_name = "FIELDS", allow_hyphen_values = true)]
    pub cron: Option<String>,
    /// The program, where it is not this one.
    #[arg(long, value_name = "FILE")]
    pub binary: Option<PathBuf>,
    /// The container's image, for Kubernetes.
    #[arg(long, value_name = "IMAGE", default_value = concat!("msgrecon:", env!("CARGO_PKG_VERSION")))]
    pub image: String,
    /// Write the files into this folder instead of to stdout; each appears when it is whole.
    #[arg(long, value_name = "DIR")]
    pub output: Option<PathBuf>,
}

fn schedulers() -> impl TypedValueParser<Value = Scheduler> {
    PossibleValuesParser::new(Scheduler::ALL.map(|(name, _)| name)).try_map(|name| {
        let known = Scheduler::ALL.into_iter().find(|(known, _)| *known == name);
        known.map(|(_, scheduler)| scheduler).ok_or("no such scheduler")
    })
}
