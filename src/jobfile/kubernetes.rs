//! Kubernetes.

use super::named::{FOLDER, Named, Place, all_variables};
use super::{CONFIG, CRON, Form, Job, STATE, Sheet, WHY, quote};

const CRONJOB: &str = include_str!("../../cron/kubernetes/cronjob.yaml");
const VOLUME: &str = include_str!("../../cron/kubernetes/volume.example.yaml");

/// Where the shipped manifest says that secrets are.
const SECRETS: &str = "/run/secrets/msgrecon";
/// What the ledger's volume is unless it holds an SQLite ledger.
const NO_VOLUME: &str = "emptyDir: { sizeLimit: 1Gi }";

/// The jobs; and a volume where the ledger is a file.
pub(super) fn manifests(job: &Job) -> Vec<Sheet> {
    let timing = &job.timing;
    let mut form = Form::new("cronjob.yaml", CRONJOB)
        .put(WHY, &timing.why)
        .put(&format!("schedule: \"{CRON}\""), &format!("schedule: \"{}\"", timing.starts))
        .put("timeZone: Etc/UTC", &format!("timeZone: {}", job.zone.name()))
        .put("startingDeadlineSeconds: 1800", &format!("startingDeadlineSeconds: {}", timing.late_max()))
        .put("activeDeadlineSeconds: 3000", &format!("activeDeadlineSeconds: {}", timing.run_max()))
        .put("image: msgrecon:0.1.0", &format!("image: {}", quote::yaml(&job.image)))
        .put_lines("- { name: secrets,", &mounts(&job.named))
        .put_lines("- { name: CREDENTIALS_DIRECTORY,", &variables(&job.named));
    if job.ledger.is_some() {
        form = form.put(NO_VOLUME, "persistentVolumeClaim: { claimName: msgrecon }");
    }
    let mut sheets = vec![form.done(notes(job))];
    if job.ledger.is_some() {
        sheets.push(Form::new("volume.yaml", VOLUME).done(Vec::new()));
    }
    sheets
}

/// In the container the configuration lies where the manifest puts it.
fn mount_path(one: &Named) -> Option<String> {
    let folder = CONFIG.rsplit_once('/').map_or("", |(folder, _)| folder);
    match &one.place {
        Place::Credential(name) => Some(format!("{SECRETS}/{name}")),
        Place::File(_) => one.full_path(folder),
        Place::Variable(_) => None,
    }
}

fn mounts(named: &[Named]) -> Vec<String> {
    let line = |one: &Named| {
        let path = quote::yaml(&mount_path(one)?);
        Some(format!(
            "- {{ name: secrets, mountPath: {path}, subPath: {}, readOnly: true }}",
            quote::yaml(&one.id())
        ))
    };
    named.iter().filter_map(line).collect()
}

/// The folder with secrets, and variables from the same Secret.
fn variables(named: &[Named]) -> Vec<String> {
    let folder = format!("- {{ name: {FOLDER}, value: {SECRETS} }}");
    let line = |name: &str| {
        format!("- {{ name: {name}, valueFrom: {{ secretKeyRef: {{ name: msgrecon, key: {name} }} }} }}")
    };
    std::iter::once(folder).chain(all_variables(named).into_iter().map(line)).collect()
}

fn notes(job: &Job) -> Vec<String> {
    let files: Vec<_> = job.named.iter().map(Named::literal).collect();
    let mut notes = vec![
        "The configuration and its secrets, from files that hold one secret each:".to_owned(),
        format!(
            "    kubectl create configmap msgrecon --from-file=msgrecon.toml={}",
            quote::shell(&job.config)
        ),
    ];
    if !files.is_empty() {
        notes.push(format!("    kubectl create secret generic msgrecon {}", files.join(" ")));
    }
    if let Some(ledger) = job.ledger.as_deref().filter(|path| !path.starts_with(&format!("{STATE}/"))) {
        notes.push(format!(
            "NOTE: the ledger {ledger} does not outlive a Pod: set [ledger] url to a server's, or to sqlite://{STATE}/msgrecon.db."
        ));
    }
    if job.named.iter().any(|one| matches!(one.place, Place::Variable(_))) {
        notes.push(format!(
            "NOTE: variables show in the Pod's environment; ${{{FOLDER}}}/name in a url_file does not."
        ));
    }
    notes
}
