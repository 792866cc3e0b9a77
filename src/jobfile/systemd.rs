//! systemd.

use super::named::{Named, Place, all_variables};
use super::{BINARY, CONFIG, Form, Job, STATE, Sheet, TimingError, WHY, quote};

const SERVICE: &str = include_str!("../../cron/systemd/msgrecon.service");
const TIMER: &str = include_str!("../../cron/systemd/msgrecon.timer");
const PRUNE_SERVICE: &str = include_str!("../../cron/systemd/msgrecon-prune.service");
const PRUNE_TIMER: &str = include_str!("../../cron/systemd/msgrecon-prune.timer");

/// Where the shipped files say that secrets are.
const SECRETS: &str = "/etc/msgrecon/secrets";

pub(super) fn units(job: &Job) -> Result<Vec<Sheet>, TimingError> {
    let timing = &job.timing;
    let calendar = format!("OnCalendar={} {}", timing.starts.calendar()?, job.zone.name());
    let seconds = |form: Form, key: &str, shipped: i64, value: i64| {
        form.put(&format!("\n{key}={shipped}\n"), &format!("\n{key}={value}\n"))
    };
    let mut service = with_command(Form::new("msgrecon.service", SERVICE), job);
    for (key, shipped, value) in [
        ("StartLimitIntervalSec", 2700, timing.tries_span()),
        ("RestartSec", 300, timing.pause()),
        ("TimeoutStartSec", 3000, timing.run_max()),
    ] {
        service = seconds(service, key, shipped, value);
    }
    let timer = Form::new("msgrecon.timer", TIMER)
        .put(WHY, &timing.why)
        .put("OnCalendar=*-*-* *:18:00 Etc/UTC", &calendar);
    let prune_timer = Form::new("msgrecon-prune.timer", PRUNE_TIMER)
        .put("04:41:00 Etc/UTC", &format!("04:41:00 {}", job.zone.name()));
    Ok(vec![
        service.done(notes(job)),
        seconds(timer, "RandomizedDelaySec", 120, timing.spread()).done(Vec::new()),
        with_command(Form::new("msgrecon-prune.service", PRUNE_SERVICE), job).done(Vec::new()),
        prune_timer.done(Vec::new()),
    ])
}

/// Program, configuration and what it needs from outside.
fn with_command(form: Form, job: &Job) -> Form {
    form.put(BINARY, &quote::systemd(&job.binary))
        .put(CONFIG, &quote::systemd(&job.config))
        .put_lines("LoadCredential=", &given(job))
}

/// One line for each file, and one for variables.
fn given(job: &Job) -> Vec<String> {
    let folder = folder(job);
    let path = |one: &Named| match &one.place {
        Place::Variable(_) => None,
        Place::Credential(name) => Some(format!("{SECRETS}/{name}")),
        Place::File(_) => one.full_path(&folder),
    };
    let line = |one: &Named| Some(format!("LoadCredential={}:{}", one.id(), path(one)?.replace('%', "%%")));
    let mut lines: Vec<_> = job.named.iter().filter_map(line).collect();
    if !all_variables(&job.named).is_empty() {
        lines.push("EnvironmentFile=/etc/msgrecon/environment".to_owned());
    }
    if lines.is_empty() {
        lines.push("# (The configuration names none.)".to_owned());
    }
    lines
}

fn folder(job: &Job) -> String {
    job.config.rsplit_once('/').map_or(String::new(), |(folder, _)| folder.to_owned())
}

/// What this configuration needs to work behind the unit's walls.
fn notes(job: &Job) -> Vec<String> {
    let mut notes = Vec::new();
    for one in &job.named {
        if let Place::File(path) = &one.place {
            notes.push(format!(
                "NOTE: {} = \"{path}\": write \"${{CREDENTIALS_DIRECTORY}}/{}\" instead; the unit's user cannot read root's files.",
                one.key,
                one.id()
            ));
        }
    }
    let variables = all_variables(&job.named);
    if !variables.is_empty() {
        notes.push(format!(
            "NOTE: /etc/msgrecon/environment must set {} (NAME=value lines, mode 0600); files are safer.",
            variables.join(", ")
        ));
    }
    if let Some(ledger) = job.ledger.as_deref().filter(|path| !path.starts_with(&format!("{STATE}/"))) {
        notes.push(format!("NOTE: the ledger {ledger} cannot be written from here: set [ledger] url = \"sqlite://{STATE}/msgrecon.db\"."));
    }
    for path in [&job.binary, &job.config] {
        if ["/home/", "/root/", "/run/user/", "/tmp/", "/var/tmp/"]
            .iter()
            .any(|hidden| path.starts_with(hidden))
        {
            notes.push(format!(
                "NOTE: {path} is hidden from the unit (ProtectHome=, PrivateTmp=): install it elsewhere."
            ));
        }
    }
    notes
}
