//! `msgrecon test-notify`: whether messages arrive.

use super::telling::{send, surroundings};
use super::{block_on, config_path, load_config, print};
use crate::alert::{Target, targets, test_digest};
use crate::cli::{Global, TestNotifyArgs};
use crate::clock;
use crate::config::{Config, Flow};
use crate::exit;
use crate::model::run::{Backlog, Counts, Strategy};
use crate::model::tally::EventTotals;
use crate::model::{ConsumerReport, FlowReport, Micros, Outcome, Run, Span, Verdict};
use std::fmt::Write as _;

pub(super) fn test_notify(global: &Global, args: &TestNotifyArgs) -> anyhow::Result<u8> {
    let config = load_config(global)?;
    let file = config_path(global)?;
    let chosen = chosen(&config, &args.targets)?;
    let now = clock::now();
    let id = clock::run_id(now);
    let around = surroundings(&config, Some(&file), None);
    let mut text = String::new();
    let mut code = exit::OK;
    for target in chosen {
        let run = sample(&config, &target, &id, now);
        let digest = test_digest(&run, &target, &id);
        let outcome = if run.flows.is_empty() {
            Err("no flow is routed to it".to_owned())
        } else {
            let sent = block_on(send(&config, &target.name, &run, &digest, &around))?;
            sent.map_err(|error| error.message)
        };
        let said =
            outcome.map_or_else(|error| format!("not delivered: {error}"), |()| "delivered".to_owned());
        if said != "delivered" {
            code = exit::NOT_DELIVERED;
        }
        let _ = writeln!(text, "{}: {said}", target.name);
    }
    print(text.as_bytes())?;
    Ok(code)
}

/// The targets that are named, or all; one that is not there is an error.
fn chosen(config: &Config, names: &[String]) -> anyhow::Result<Vec<Target>> {
    let all = targets(config);
    let known: Vec<_> = all.iter().map(|target| target.name.as_str()).collect();
    let nobody = "nobody is to be told: the configuration has neither [mail] nor [[channels]]";
    if known.is_empty() {
        return Err(super::Usage(nobody.to_owned()).into());
    }
    if let Some(strange) = names.iter().find(|name| !known.contains(&name.as_str())) {
        return Err(super::Usage(format!("unknown target `{strange}`; known: {}", known.join(", "))).into());
    }
    Ok(all.into_iter().filter(|target| names.is_empty() || names.contains(&target.name)).collect())
}

/// A run that found nothing, of the flows that the target is told of.
fn sample(config: &Config, target: &Target, id: &str, now: Micros) -> Run {
    let flows = config.flows.iter().filter(|flow| target.flows.contains(&flow.name));
    Run {
        id: id.to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        as_of: now,
        span: Span::new(now.plus(-crate::model::time::HOUR), now),
        time_zone: config.time_zone,
        scheduled: false,
        last_run: None,
        outcome: Outcome::Balanced,
        complete: true,
        verdict: Verdict::Pass,
        exit_code: exit::OK,
        flows: flows.map(empty).collect(),
        differences: Vec::new(),
        differences_total: 0,
        problems: Vec::new(),
    }
}

fn empty(flow: &Flow) -> FlowReport {
    let consumer = |name: &String| ConsumerReport {
        name: name.clone(),
        outcome: Outcome::Balanced,
        complete: true,
        strategy: Strategy::Stream,
        counts: Some(Counts::default()),
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    };
    FlowReport {
        name: flow.name.clone(),
        outcome: Outcome::Balanced,
        complete: true,
        verdict: Verdict::Pass,
        events: Some(EventTotals::default()),
        backlog: Some(Backlog::default()),
        windows: Vec::new(),
        consumers: flow.consumers.iter().map(|one| consumer(&one.name)).collect(),
        acknowledged: Vec::new(),
        life: None,
        breaches: Vec::new(),
        hints: Vec::new(),
    }
}
