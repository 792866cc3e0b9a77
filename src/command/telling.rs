//! Who is to be told what of a run: decided and kept with the run's end, then sent.

use crate::alert::{Looked, Policy, Step, Target, Told, digests, retired, step, targets};
use crate::clock;
use crate::config::Config;
use crate::judge::{is_watched, readings};
use crate::ledger::{Delivery, Fate, Lease, Ledger, LedgerError};
use crate::model::alert::{Alert, AlertKey, Digest};
use crate::model::time::DAY;
use crate::model::{FlowReport, Micros, Run};
use crate::notify::{Delivered, NotDelivered, Surroundings, channel, mail};
use std::collections::BTreeSet;

/// What could not be delivered for so long is given up, in microseconds.
pub(super) const PATIENCE: i64 = 3 * DAY;

/// What is kept with a run's end.
#[derive(Default)]
pub(super) struct Telling {
    /// Alerts by flow, as the run leaves them.
    pub(super) alerts: Vec<(String, Vec<Alert>)>,
    /// What is to be told; yes where it takes the place of what waits.
    pub(super) deliveries: Vec<(Delivery, bool)>,
}

/// What a run means for the alerts, and what is to be told of it.
pub(super) async fn telling(ledger: &mut Ledger, config: &Config, run: &Run) -> Result<Telling, LedgerError> {
    let mut steps = Vec::new();
    for report in &run.flows {
        let before = ledger.alerts(&report.name).await?;
        let open = ledger.open_kinds(&report.name, run.as_of).await?;
        let looked = Looks { config, run, open: &open };
        steps.extend(looked.step(&before, report));
    }
    let mut targeted = Vec::new();
    for target in targets(config) {
        let told = told(ledger, &target, run).await?;
        targeted.push((target, told));
    }
    let found = digests(run, &targeted, &mut steps);
    let created_at = clock::now();
    let deliveries = found.into_iter().map(|(target, digest)| {
        let anew = target.wants_all;
        (Delivery { target: target.name, digest, attempts: 0, created_at }, anew)
    });
    let of = |flow: &FlowReport| {
        let alerts = steps.iter().map(|step| &step.alert).filter(|alert| alert.key.flow == flow.name);
        (flow.name.clone(), alerts.cloned().collect())
    };
    Ok(Telling { alerts: run.flows.iter().map(of).collect(), deliveries: deliveries.collect() })
}

/// The same without a ledger: whatever fires is told, since nobody knows what was told before.
fn untold(config: &Config, run: &Run) -> Vec<(Target, Digest)> {
    let looks = Looks { config, run, open: &[] };
    let mut steps: Vec<_> = run.flows.iter().flat_map(|report| looks.step(&[], report)).collect();
    let targets: Vec<_> = targets(config).into_iter().map(|target| (target, Told::default())).collect();
    digests(run, &targets, &mut steps)
}

struct Looks<'a> {
    config: &'a Config,
    run: &'a Run,
    open: &'a [crate::model::alert::Open],
}

impl Looks<'_> {
    fn step(&self, before: &[Alert], report: &FlowReport) -> Vec<Step> {
        let Some(flow) = self.config.flows.iter().find(|flow| flow.name == report.name) else {
            return Vec::new();
        };
        let notify = &self.config.notify;
        let policy = Policy { as_of: self.run.as_of, remind: notify.remind, silences: &notify.silences };
        let looked = Looked {
            flow: &report.name,
            scheduled: self.run.scheduled,
            from: self.run.span.from,
            until: self.run.span.until,
            readings: &readings(report, flow, self.run.as_of),
            open: self.open,
        };
        let watched = |alert: &Alert| {
            let AlertKey { consumer, metric, .. } = &alert.key;
            is_watched(flow, consumer.as_deref(), metric)
        };
        let (before, gone): (Vec<_>, Vec<_>) = before.iter().cloned().partition(watched);
        let mut steps = step(&before, &looked, &policy);
        steps.extend(gone.iter().filter_map(|alert| retired(alert, self.run.as_of)));
        steps
    }
}

async fn told(ledger: &mut Ledger, target: &Target, run: &Run) -> Result<Told, LedgerError> {
    let first = run.flows.iter().find(|flow| target.flows.contains(&flow.name));
    let last = match first {
        Some(flow) => ledger.last_told(&target.name, &flow.name).await?,
        None => None,
    };
    Ok(Told { last, run_before: run.last_run.as_ref().map(|last| last.as_of) })
}

/// Sends what waits of the flows that the run holds, oldest first; gives what could not be delivered. Whoever does not
/// answer is told nothing more by this run, so that nobody learns that something is well before that it was not.
pub(super) async fn send_waiting(
    ledger: &mut Ledger,
    lease: &Lease,
    config: &Config,
    run: &Run,
    around: &Surroundings,
) -> Vec<String> {
    let (mut waiting, mut failed) = (Vec::new(), Vec::new());
    for flow in lease.flows() {
        match ledger.waiting(flow).await {
            Ok(found) => waiting.extend(found),
            Err(error) => failed.push(format!("what waits to be told of flow `{flow}`: {error}")),
        }
    }
    waiting.sort_by_key(|delivery| (delivery.digest.as_of, delivery.created_at));
    let mut silent = BTreeSet::new();
    for delivery in waiting {
        if silent.contains(&delivery.target) {
            continue;
        }
        // Whoever has taken over sends the rest.
        if lease.is_lost() {
            break;
        }
        match send_one(ledger, config, run, around, &delivery).await {
            Ok(None) => {}
            Ok(Some(Failure { said, silence })) => {
                failed.push(said);
                silent.extend(silence.then_some(delivery.target));
            }
            // What is sent from here on could not be noted as sent, and would be sent again.
            Err(error) => {
                failed.push(format!("{}: whether it was told is not recorded: {error}", delivery.target));
                break;
            }
        }
    }
    failed
}

/// What could not be delivered.
struct Failure {
    said: String,
    /// The target did not answer: what waits behind this one waits too.
    silence: bool,
}

async fn send_one(
    ledger: &mut Ledger,
    config: &Config,
    run: &Run,
    around: &Surroundings,
    delivery: &Delivery,
) -> Result<Option<Failure>, LedgerError> {
    let earlier = match &delivery.digest.run {
        id if *id == run.id => None,
        id => Some(ledger.report(Some(id)).await),
    };
    let outcome = match &earlier {
        None => send(config, &delivery.target, run, &delivery.digest, around).await,
        Some(Ok(Some(run))) => {
            // The folder of this run holds another report than the one that is told of.
            let around = Surroundings { folder: None, ..around.clone() };
            send(config, &delivery.target, run, &delivery.digest, &around).await
        }
        Some(Ok(None)) => Err(NotDelivered::over("the report that it tells of is gone")),
        Some(Err(error)) => Err(NotDelivered::for_good(format!("the report that it tells of: {error}"))),
    };
    let now = clock::now();
    let fate = fate(&outcome, now.since(delivery.created_at));
    let error = outcome.err();
    let problem = error.as_ref().map(|error| error.message.as_str());
    ledger.tried(&delivery.digest.key, fate, now, problem).await?;
    Ok(error.map(|error| {
        let next = if fate == Fate::Waiting { "the next run tries again" } else { "given up" };
        let silence = error.retry && fate == Fate::Waiting;
        Failure { said: format!("{}: {error} ({next})", delivery.target), silence }
    }))
}

fn fate(outcome: &Delivered, waited: i64) -> Fate {
    match outcome {
        Ok(()) => Fate::Sent,
        // A login that is refused may be mended before the next run.
        Err(error) if !error.over && waited < PATIENCE => Fate::Waiting,
        Err(_) => Fate::Dropped,
    }
}

/// Tells everybody at once, where no ledger keeps what is to be told; gives what could not be delivered.
pub(super) async fn send_now(config: &Config, run: &Run, around: &Surroundings) -> Vec<String> {
    let mut failed = Vec::new();
    for (target, digest) in untold(config, run) {
        if let Err(error) = send(config, &target.name, run, &digest, around).await {
            failed.push(format!("{}: {error} (given up: no ledger keeps it)", target.name));
        }
    }
    failed
}

/// Sends a digest to a target by its name.
pub(super) async fn send(
    config: &Config,
    target: &str,
    run: &Run,
    digest: &Digest,
    around: &Surroundings,
) -> Delivered {
    let around = Surroundings { now: Some(clock::now()), ..around.clone() };
    let gone = || NotDelivered::over("it is not in the configuration any more");
    if let Some(name) = target.strip_prefix("channel:") {
        let channel = config.notify.channels.iter().find(|channel| channel.name == name).ok_or_else(gone)?;
        return channel::send(channel, run, digest, &around).await;
    }
    let mail = config.notify.mail.as_ref().ok_or_else(gone)?;
    let to = match target.strip_prefix("mail:") {
        None => mail::Recipients { to: mail.to.clone(), cc: mail.cc.clone() },
        Some(owner) => {
            let (_, to) = mail.owners.iter().find(|(name, _)| name == owner).ok_or_else(gone)?;
            mail::Recipients { to: to.clone(), cc: Vec::new() }
        }
    };
    mail::send(mail, &to, run, digest, &around).await
}

/// What messages may say besides the run.
pub(super) fn surroundings(
    config: &Config,
    file: Option<&std::path::Path>,
    folder: Option<&std::path::Path>,
) -> Surroundings {
    let runbooks = config.flows.iter().filter_map(|flow| Some((flow.name.clone(), flow.runbook.clone()?)));
    let shown = |path: &std::path::Path| {
        std::path::absolute(path).unwrap_or_else(|_| path.to_owned()).display().to_string()
    };
    Surroundings {
        now: None::<Micros>,
        folder: folder.map(shown),
        config: file.map(shown),
        runbooks: runbooks.collect(),
    }
}
