//! What a scheduler wants to read: the files of `cron/` for one configuration. Pure.
//!
//! The shipped files are the templates: their own values are the marks that others take the place of, so that a file that
//! somebody copies and one that `msgrecon schedule` prints say the same. Each value here has its one place of computation.

mod crontab;
mod expression;
mod kubernetes;
mod named;
mod quote;
mod systemd;
mod timing;

pub use named::{Named, Place, named};
pub use timing::{Timing, TimingError};

use crate::model::time::DAY;
use chrono_tz::Tz;

/// Where the shipped files say that the program is.
const BINARY: &str = "/usr/local/bin/msgrecon";
/// ... and the configuration.
const CONFIG: &str = "/etc/msgrecon/msgrecon.toml";
/// ... and the folder that the job may write to.
const STATE: &str = "/var/lib/msgrecon";
/// The line that says why the job starts when it does.
const WHY: &str = "# Windows of 1h are due 15m after their end (`grace` or `stuck_after`), and 3m more let late commits arrive.";
/// When it does.
const CRON: &str = "18 * * * *";

/// Who starts the job.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scheduler {
    /// cron, any of them.
    Crontab,
    /// A service and a timer.
    Systemd,
    /// A `CronJob`.
    Kubernetes,
}

impl Scheduler {
    /// Every one by its name on the command line.
    pub const ALL: [(&str, Self); 3] =
        [("crontab", Self::Crontab), ("systemd", Self::Systemd), ("kubernetes", Self::Kubernetes)];
}

/// What the files are made for.
#[derive(Clone, Debug)]
pub struct Job {
    /// The program's full path on this machine.
    pub binary: String,
    /// The configuration's full path on this machine.
    pub config: String,
    /// The configuration's time zone.
    pub zone: Tz,
    /// When the job starts.
    pub timing: Timing,
    /// The files and variables that the configuration names.
    pub named: Vec<Named>,
    /// The file of an SQLite ledger; `None` where it is on a server.
    pub ledger: Option<String>,
    /// The container's image.
    pub image: String,
}

/// A file, complete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sheet {
    /// Its name, which the scheduler may insist on.
    pub name: &'static str,
    /// What somebody must know who installs it.
    pub notes: Vec<String>,
    /// What it says: that of the shipped file, with the configuration's values.
    pub text: String,
}

impl Sheet {
    /// The file with its notes, as comments, before everything else.
    #[must_use]
    pub fn whole(&self) -> String {
        let notes: String = self.notes.iter().fold(String::new(), |text, note| text + "# " + note + "\n");
        let gap = if notes.is_empty() { "" } else { "\n" };
        notes + gap + &self.text
    }
}

/// The files for a scheduler, in the order in which one reads them.
///
/// # Errors
/// A time that this scheduler cannot be told; it says which.
pub fn sheets(job: &Job, scheduler: Scheduler) -> Result<Vec<Sheet>, TimingError> {
    match scheduler {
        Scheduler::Crontab => Ok(vec![crontab::crontab(job)]),
        Scheduler::Systemd => systemd::units(job),
        Scheduler::Kubernetes => Ok(kubernetes::manifests(job)),
    }
}

/// A shipped file while its values give way to others.
struct Form {
    name: &'static str,
    text: String,
}

impl Form {
    fn new(name: &'static str, shipped: &str) -> Self {
        Self { name, text: shipped.to_owned() }
    }

    /// Another value wherever the shipped one stands.
    fn put(mut self, shipped: &str, value: &str) -> Self {
        debug_assert!(self.text.contains(shipped), "{} does not say {shipped:?}", self.name);
        self.text = self.text.replace(shipped, value);
        self
    }

    /// Other lines in place of those that follow each other and begin so (blanks before it aside), wherever they stand.
    fn put_lines(mut self, begin: &str, lines: &[String]) -> Self {
        debug_assert!(self.text.contains(begin), "{} has no {begin:?}", self.name);
        let (mut text, mut inside) = (String::new(), false);
        for line in self.text.lines() {
            let fits = line.trim_start().starts_with(begin);
            if !fits {
                text = text + line + "\n";
            } else if !inside {
                let indent = &line[..line.len() - line.trim_start().len()];
                text = lines.iter().fold(text, |text, new| text + indent + new + "\n");
            }
            inside = fits;
        }
        self.text = text;
        self
    }

    fn done(self, notes: Vec<String>) -> Sheet {
        Sheet { name: self.name, notes, text: self.text }
    }
}

/// A length that every reader of durations knows: in the largest unit that gives a whole number.
fn duration(micros: i64) -> String {
    let units = [(DAY, "d"), (DAY / 24, "h"), (DAY / 24 / 60, "m")];
    let fits = units.into_iter().find(|(unit, _)| micros % unit == 0);
    fits.map_or_else(|| format!("{}s", micros / 1_000_000), |(unit, name)| format!("{}{name}", micros / unit))
}

#[cfg(test)]
mod tests;
