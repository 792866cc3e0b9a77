//! cron.

use super::named::{FOLDER, Place, all_variables};
use super::{BINARY, CONFIG, CRON, Form, Job, STATE, Sheet, WHY, duration, quote};

const SHIPPED: &str = include_str!("../../cron/crontab");

pub(super) fn crontab(job: &Job) -> Sheet {
    let timing = &job.timing;
    // Beside an SQLite ledger the job may write; else the folder is one to be made.
    let folder =
        job.ledger.as_deref().and_then(|path| path.rsplit_once('/')).map_or(STATE, |(folder, _)| folder);
    Form::new("crontab", SHIPPED)
        .put(&format!("{STATE}/run.lock"), &quote::crontab(&format!("{folder}/run.lock")))
        .put(BINARY, &quote::crontab(&job.binary))
        .put(CONFIG, &quote::crontab(&job.config))
        .put("CRON_TZ=Etc/UTC", &format!("CRON_TZ={}", job.zone.name()))
        .put(WHY, &timing.why)
        .put("\n48 * * * * ", &format!("\n{} ", timing.probe))
        .put(&format!("\n{CRON} "), &format!("\n{} ", timing.starts))
        .put("--overdue 2h", &format!("--overdue {}", duration(timing.overdue())))
        .done(notes(job, folder))
}

fn notes(job: &Job, folder: &str) -> Vec<String> {
    let mut notes = Vec::new();
    let variables = all_variables(&job.named);
    if !variables.is_empty() {
        notes.push(format!(
            "NOTE: the configuration reads {} from the environment, which cron does not give: name files instead.",
            variables.join(", ")
        ));
    }
    if job.named.iter().any(|one| matches!(one.place, Place::Credential(_))) {
        notes.push(format!(
            "NOTE: the configuration names files in ${{{FOLDER}}}: set {FOLDER}=/the/folder in a line of its own below."
        ));
    }
    if job.ledger.is_none() {
        notes.push(format!("NOTE: {folder} must be there and belong to the job's user, for the lock."));
    }
    notes
}
