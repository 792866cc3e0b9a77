//! A run as metrics in Prometheus' text format 0.0.4: for `node_exporter`'s textfile collector and for a Pushgateway.
//!
//! All are gauges, since a batch job has no life to count over. Names are prefixed, in base units, and never carry a
//! message id or a window. What was counted is there even where it is 0, so that an alert on it can be cleared; what could
//! not be counted or decided is left out, never 0.

mod flows;
mod format;

use super::NotDelivered;
use crate::exit;
use crate::model::alert::{Alert, AlertState};
use crate::model::{Micros, Run, Verdict};
use format::{Family, seconds};
use std::fs;
use std::io::Write as _;
use std::path::Path;

/// What the metrics say of the job itself, whether or not it came to a report.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Vitals {
    /// When the job came to its end, by the real clock.
    pub finished_at: Micros,
    /// How it ended; see [`crate::exit`].
    pub exit_code: u8,
    /// How long it took, in microseconds.
    pub duration: i64,
    /// When a job last ended well before this one, as far as the ledger knows.
    pub last_success: Option<Micros>,
    /// How long each stage took, in microseconds, in the order of the line; empty where nobody measured.
    pub stages: Vec<(&'static str, i64)>,
    /// As the ledger keeps them after the run; `None` where it did not say.
    pub alerts: Option<Vec<Alert>>,
    /// Messages that wait to be delivered because an attempt has failed; `None` where the ledger did not say.
    pub undelivered: Option<u64>,
}

/// Whether the job did what it is for: it judged and told. That the data differ is no failure of the job.
#[must_use]
pub fn succeeded(exit_code: u8) -> bool {
    matches!(exit_code, exit::OK | exit::DIFFERENCES)
}

/// The metrics of a run, or of a job that came to none. The same input gives the same bytes; they end in a line feed.
#[must_use]
pub fn text(run: Option<&Run>, vitals: &Vitals) -> String {
    let mut families = of_job(vitals);
    families.extend(run.map(flows::families).unwrap_or_default());
    families.extend(of_alerts(vitals));
    families.iter().map(Family::render).collect()
}

fn of_job(vitals: &Vitals) -> Vec<Family> {
    let success = if succeeded(vitals.exit_code) { Some(vitals.finished_at) } else { vitals.last_success };
    let mut stages = Family::new("stage_duration_seconds", "How long each stage of the last job took.");
    for (stage, micros) in &vitals.stages {
        stages.add(&[("stage", stage)], seconds(*micros));
    }
    vec![
        Family::new("build_info", "The version that ran last; always 1.")
            .with(&[("version", env!("CARGO_PKG_VERSION"))], Some(1)),
        Family::new(
            "last_success_timestamp_seconds",
            "When a job last ended with exit code 0 or 1: it judged and told, whatever it found.",
        )
        .with(&[], success.map(|at| seconds(at.0))),
        Family::new("last_completion_timestamp_seconds", "When a job last ended, whatever its exit code.")
            .with(&[], Some(seconds(vitals.finished_at.0))),
        Family::new("last_exit_code", "How the last job ended.").with(&[], Some(vitals.exit_code)),
        Family::new("run_duration_seconds", "How long the last job took.")
            .with(&[], Some(seconds(vitals.duration))),
        stages,
    ]
}

fn of_alerts(vitals: &Vitals) -> Vec<Family> {
    // Where nobody could ask the ledger, 0 would say that all is well.
    let known = vitals.alerts.as_ref();
    let firing = || known.into_iter().flatten().filter(|alert| alert.state == AlertState::Firing);
    let told = |level| firing().filter(|alert| alert.silenced.is_none() && alert.level == level).count();
    let silenced = firing().filter(|alert| alert.silenced.is_some()).count();
    let mut levels = Family::new("alerts_firing", "Alerts that fire and are not silenced, by their level.");
    for level in [Verdict::Warn, Verdict::Fail] {
        known.inspect(|_| levels.add(&[("level", level.name())], told(level)));
    }
    vec![
        levels,
        Family::new("alerts_silenced", "Alerts that fire and are silenced.")
            .with(&[], known.map(|_| silenced)),
        Family::new(
            "notification_failures",
            "Messages that could not be delivered and wait for the next run.",
        )
        .with(&[], vitals.undelivered),
    ]
}

/// When a job last ended well, as the file of the last metrics says: it outlives jobs that came to no ledger, and those
/// that judged and could not tell. `None` where there is no such file, or it does not say.
#[must_use]
pub fn kept_success(path: &Path) -> Option<Micros> {
    let text = fs::read_to_string(path).ok()?;
    let value =
        text.lines().find_map(|line| line.strip_prefix("msgrecon_last_success_timestamp_seconds "))?;
    format::micros(value).map(Micros)
}

/// Puts the metrics where `node_exporter`'s textfile collector finds them: all of them or none. Its name ends in `.prom`;
/// the temporary file's does not, so that the collector never reads half of it. Everybody may read it, since the
/// collector runs as somebody else.
///
/// # Errors
/// Where the folder is not there or refuses new files, or the disk is full. The file that was there is untouched.
pub fn write(path: &Path, text: &str) -> Result<(), NotDelivered> {
    replace(path, text).map_err(|error| {
        NotDelivered::for_now(format!(
            "the metrics cannot be written to {}: {error}; let msgrecon's user write that folder",
            path.display()
        ))
    })
}

fn replace(path: &Path, text: &str) -> std::io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".msgrecon-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(text.as_bytes())?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt as _;
        file.as_file().set_permissions(fs::Permissions::from_mode(0o644))?;
    }
    file.as_file().sync_all()?;
    file.persist(path).map_err(|error| error.error)?;
    // On the disk under its name too, where folders can be opened.
    fs::File::open(folder).map_or(Ok(()), |folder| folder.sync_all())
}
