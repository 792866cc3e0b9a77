//! D42, the manifest's part: the Jobs that Kubernetes starts.

use crate::{config, schedule, shipped};
use k8s_openapi::api::batch::v1::{CronJob, JobSpec, PodFailurePolicy};
use k8s_openapi::api::core::v1::{ConfigMap, Container, PersistentVolumeClaim, PodSpec, Secret};
use k8s_openapi::api::networking::v1::NetworkPolicy;
use serde::Deserialize as _;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::Path;

/// The documents of a file.
fn documents(text: &str) -> Vec<Value> {
    yaml_serde::Deserializer::from_str(text).map(|one| Value::deserialize(one).unwrap()).collect()
}

/// A document as a type of Kubernetes. What the type does not know would get lost on the way there and back.
fn typed<T: DeserializeOwned + Serialize>(document: &Value) -> T {
    let object: T = serde_json::from_value(document.clone()).unwrap();
    assert_eq!(pruned(serde_json::to_value(&object).unwrap()), pruned(document.clone()));
    object
}

/// Without fields that say nothing, and with quantities as text.
fn pruned(value: Value) -> Value {
    match value {
        Value::Object(fields) => {
            let kept = fields.into_iter().map(|(key, value)| (key, pruned(value)));
            Value::Object(kept.filter(|(_, value)| *value != json!([]) && *value != json!({})).collect())
        }
        Value::Array(values) => Value::Array(values.into_iter().map(pruned).collect()),
        other => other,
    }
}

fn cron_jobs(text: &str) -> Vec<CronJob> {
    let documents = documents(text);
    documents.iter().filter(|one| one["kind"] == "CronJob").map(typed).collect()
}

fn job(cron_job: &CronJob) -> &JobSpec {
    cron_job.spec.job_template.spec.as_ref().unwrap()
}

fn pod(cron_job: &CronJob) -> &PodSpec {
    job(cron_job).template.spec.as_ref().unwrap()
}

fn container(cron_job: &CronJob) -> &Container {
    let containers = &pod(cron_job).containers;
    assert_eq!(containers.len(), 1);
    &containers[0]
}

/// What becomes of a Job whose Pod has ended with this exit code: the first rule that fits.
fn action(policy: &PodFailurePolicy, code: i32) -> &str {
    let fits = policy.rules.iter().find(|rule| {
        let codes = rule.on_exit_codes.as_ref();
        codes.is_some_and(|codes| match codes.operator.as_str() {
            "In" => codes.values.contains(&code),
            "NotIn" => !codes.values.contains(&code),
            other => panic!("{other}"),
        })
    });
    fits.map_or("Count", |rule| &rule.action)
}

/// The rules that every `CronJob` of ours has to satisfy, given the shortest time between two starts in seconds.
fn assert_sound(cron_job: &CronJob, interval: i64) {
    let spec = &cron_job.spec;
    let name = cron_job.metadata.name.as_deref().unwrap();
    assert!(name.len() <= 52, "{name}");
    assert!(!spec.schedule.contains("TZ") && spec.schedule.split(' ').count() == 5, "{}", spec.schedule);
    let zone = spec.time_zone.as_deref().expect("the zone is stated");
    assert!(zone.parse::<chrono_tz::Tz>().is_ok(), "{zone}");
    assert_eq!(spec.concurrency_policy.as_deref(), Some("Forbid"));
    let late = spec.starting_deadline_seconds.expect("startingDeadlineSeconds is stated");
    assert!(late >= 60, "{late} s are well above the controller's 10 s");
    assert!(late / interval < 100, "100 starts fit in {late} s");
    assert!(spec.successful_jobs_history_limit.is_some() && spec.failed_jobs_history_limit.is_some());
    assert!(job(cron_job).backoff_limit.is_some_and(|tries| (1..=6).contains(&tries)));
    let longest = job(cron_job).active_deadline_seconds.expect("activeDeadlineSeconds is stated");
    assert!(longest < interval, "{longest} s of {interval} s");
    assert_policy(cron_job);
    assert_restricted(cron_job);
    assert_labels(cron_job);
}

/// Differences are not retried, incomplete is.
fn assert_policy(cron_job: &CronJob) {
    assert_eq!(pod(cron_job).restart_policy.as_deref(), Some("Never"), "podFailurePolicy needs it");
    let policy = job(cron_job).pod_failure_policy.as_ref().unwrap();
    assert!(policy.rules.len() <= 20);
    for (code, expected) in [(1, "FailJob"), (2, "FailJob"), (3, "Count"), (4, "Count"), (75, "Count")] {
        assert_eq!(action(policy, code), expected, "exit code {code}");
    }
    assert_eq!(action(policy, 137), "Count", "killed");
    for rule in &policy.rules {
        let conditions = rule.on_pod_conditions.iter().flatten().map(|one| one.type_.as_str());
        let conditions: Vec<_> = conditions.collect();
        let Some(codes) = &rule.on_exit_codes else {
            assert_eq!((rule.action.as_str(), conditions), ("Ignore", vec!["DisruptionTarget"]));
            continue;
        };
        assert_ne!(rule.action, "Ignore", "an exit code that is ignored is tried for ever");
        assert!(conditions.is_empty());
        assert!(codes.values.is_sorted() && !(codes.operator == "In" && codes.values.contains(&0)));
        assert_eq!(codes.container_name.as_deref(), Some(container(cron_job).name.as_str()));
    }
    let first = &policy.rules[0];
    assert!(first.on_exit_codes.is_none(), "a disruption goes before the exit code that it causes");
}

/// What clusters of the level "restricted" let in, and no more than the job needs.
fn assert_restricted(cron_job: &CronJob) {
    let pod = pod(cron_job);
    let of_pod = pod.security_context.as_ref().unwrap();
    assert_eq!(of_pod.run_as_non_root, Some(true));
    assert!(of_pod.run_as_user.is_some_and(|user| user > 0) && of_pod.fs_group.is_some());
    assert_eq!(of_pod.seccomp_profile.as_ref().unwrap().type_, "RuntimeDefault");
    assert_eq!(pod.automount_service_account_token, Some(false));
    assert!(pod.termination_grace_period_seconds.is_some_and(|seconds| seconds > 0));
    let of_container = container(cron_job).security_context.as_ref().unwrap();
    assert_eq!(of_container.allow_privilege_escalation, Some(false));
    assert_eq!(of_container.read_only_root_filesystem, Some(true));
    assert_eq!(of_container.capabilities.as_ref().unwrap().drop, Some(vec!["ALL".to_owned()]));
    let resources = container(cron_job).resources.as_ref().unwrap();
    let memory =
        |of: &Option<std::collections::BTreeMap<String, _>>| of.as_ref().unwrap().contains_key("memory");
    assert!(memory(&resources.requests) && memory(&resources.limits));
    let volumes: BTreeSet<_> = pod.volumes.iter().flatten().map(|one| one.name.as_str()).collect();
    let mounts = container(cron_job).volume_mounts.iter().flatten();
    let mounted: BTreeSet<_> = mounts.clone().map(|one| one.name.as_str()).collect();
    assert_eq!(volumes, mounted);
    for mount in mounts.filter(|one| one.name == "secrets" || one.name == "config") {
        assert_eq!(mount.read_only, Some(true), "{}", mount.mount_path);
    }
}

fn assert_labels(cron_job: &CronJob) {
    let template = &cron_job.spec.job_template;
    let pod = template.spec.as_ref().unwrap().template.metadata.as_ref().unwrap();
    let all = [&cron_job.metadata, template.metadata.as_ref().unwrap(), pod];
    for metadata in all {
        let labels = metadata.labels.as_ref().unwrap();
        for name in ["name", "instance", "component"] {
            assert!(labels.contains_key(&format!("app.kubernetes.io/{name}")), "{labels:?}");
        }
        assert_eq!(Some(labels), all[0].labels.as_ref());
    }
}

#[test]
fn d42_the_shipped_jobs_are_made_up_for_and_never_given_up() {
    let jobs = cron_jobs(&shipped("kubernetes/cronjob.yaml"));
    assert_eq!(jobs.len(), 2);
    assert_sound(&jobs[0], 3_600);
    assert_sound(&jobs[1], 7 * 86_400);
    let arguments = |at: usize| container(&jobs[at]).args.clone().unwrap();
    assert_eq!((arguments(0)[0].as_str(), arguments(1)[0].as_str()), ("run", "prune"));
    for at in [0, 1] {
        use clap::Parser as _;
        let words = std::iter::once("msgrecon".to_owned()).chain(arguments(at));
        msgrecon::cli::Cli::try_parse_from(words).unwrap();
        assert_eq!(container(&jobs[at]).command, None, "the image's own entry point, without a shell");
    }
}

#[test]
fn d42_what_is_printed_satisfies_the_same_rules_at_every_interval() {
    let folder = tempfile::tempdir().unwrap();
    let intervals =
        [("5m", 300), ("15m", 900), ("30m", 1_800), ("1h", 3_600), ("6h", 21_600), ("1d", 86_400)];
    for (every, seconds) in intervals {
        let text = schedule(folder.path(), &config("1h"), &["--for", "kubernetes", "--every", every]);
        let jobs = cron_jobs(&text);
        assert_sound(&jobs[0], seconds);
        assert_sound(&jobs[1], 7 * 86_400);
        assert_eq!(jobs[0].spec.time_zone.as_deref(), Some("America/New_York"));
    }
}

#[test]
fn what_is_printed_brings_what_the_configuration_names() {
    let folder = tempfile::tempdir().unwrap();
    let image = "registry.example.com:5000/team/msgrecon@sha256:0123";
    let text = schedule(folder.path(), &config("1h"), &["--for", "kubernetes", "--image", image]);
    for one in cron_jobs(&text) {
        let container = container(&one);
        assert_eq!(container.image.as_deref(), Some(image));
        let secret = container.volume_mounts.iter().flatten().filter(|one| one.name == "secrets");
        let paths: Vec<_> = secret.map(|one| one.mount_path.as_str()).collect();
        assert_eq!(paths, ["/run/secrets/msgrecon/orders_db_url"]);
        let variables: Vec<_> = container.env.iter().flatten().map(|one| one.name.as_str()).collect();
        assert_eq!(variables, ["CREDENTIALS_DIRECTORY", "POINTS_DB_URL"]);
        let volume = pod(&one).volumes.iter().flatten().find(|one| one.name == "state").unwrap();
        assert!(volume.persistent_volume_claim.is_some(), "the ledger is an SQLite file");
    }
    let claims: Vec<_> =
        documents(&text).into_iter().filter(|one| one["kind"] == "PersistentVolumeClaim").collect();
    let claim: PersistentVolumeClaim = typed(&claims[0]);
    assert_eq!(claim.metadata.name.as_deref(), Some("msgrecon"));
}

#[test]
fn configuration_secret_and_jobs_fit_together() {
    let config: ConfigMap = typed(&documents(&shipped("kubernetes/configmap.yaml"))[0]);
    let secret: Secret = typed(&documents(&shipped("kubernetes/secret.example.yaml"))[0]);
    let text = &config.data.as_ref().unwrap()["msgrecon.toml"];
    let values = secret.string_data.clone().unwrap();
    let environment =
        |name: &str| (name == "CREDENTIALS_DIRECTORY").then(|| "/run/secrets/msgrecon".to_owned());
    let file = |path: &Path| {
        Ok(values[path.strip_prefix("/run/secrets/msgrecon").unwrap().to_str().unwrap()].clone())
    };
    let path = Path::new("/etc/msgrecon/msgrecon.toml");
    let read = msgrecon::config::parse(text, path, &environment, &file).unwrap_or_else(|all| panic!("{all}"));
    let jobs = cron_jobs(&shipped("kubernetes/cronjob.yaml"));
    let keys: BTreeSet<_> = values.keys().cloned().collect();
    for one in &jobs {
        assert_eq!(one.spec.time_zone.as_deref(), Some(read.time_zone.name()));
        let mounts = container(one).volume_mounts.iter().flatten();
        let mounted =
            mounts.filter(|mount| mount.name == "secrets").map(|mount| mount.sub_path.clone().unwrap());
        assert_eq!(mounted.collect::<BTreeSet<_>>(), keys);
        let volumes = pod(one).volumes.iter().flatten();
        let names = volumes.filter_map(|one| {
            one.secret
                .as_ref()
                .and_then(|secret| secret.secret_name.clone())
                .or_else(|| one.config_map.as_ref().map(|map| map.name.clone()))
        });
        assert!(names.into_iter().all(|name| Some(name) == secret.metadata.name));
    }
    assert_eq!(config.metadata.name, secret.metadata.name);
}

#[test]
fn nobody_comes_in_and_little_goes_out() {
    let policy: NetworkPolicy = typed(&documents(&shipped("kubernetes/networkpolicy.yaml"))[0]);
    let spec = policy.spec.unwrap();
    assert_eq!(spec.policy_types, Some(vec!["Ingress".to_owned(), "Egress".to_owned()]));
    assert!(spec.ingress.unwrap_or_default().is_empty());
    let chosen = spec.pod_selector.unwrap().match_labels.unwrap();
    for one in cron_jobs(&shipped("kubernetes/cronjob.yaml")) {
        let labels = one.metadata.labels.unwrap();
        assert!(chosen.iter().all(|(name, value)| labels.get(name) == Some(value)), "{labels:?}");
    }
}

#[test]
fn the_kustomization_names_what_is_there_and_no_secret() {
    let kustomization = &documents(&shipped("kubernetes/kustomization.yaml"))[0];
    assert_eq!(kustomization["kind"], "Kustomization");
    let mut names: Vec<_> =
        kustomization["resources"].as_array().unwrap().iter().map(|one| one.as_str().unwrap()).collect();
    names.sort_unstable();
    assert_eq!(names, ["configmap.yaml", "cronjob.yaml", "networkpolicy.yaml"]);
    let image = kustomization["images"][0]["name"].as_str().unwrap();
    for one in cron_jobs(&shipped("kubernetes/cronjob.yaml")) {
        assert!(container(&one).image.as_deref().unwrap().starts_with(&format!("{image}:")));
    }
    for name in names {
        documents(&shipped(&format!("kubernetes/{name}")))
            .iter()
            .for_each(|one| assert_ne!(one["kind"], "Secret"));
    }
}
