//! The straight line: plan → read → pair → confirm → classify → judge. What is recorded, reported and told to people
//! comes after, and takes the finished [`Run`].

mod confirm;
mod describe;
mod flow;
mod read;
mod slicer;
mod sources;

pub use describe::{Described, statements};

use crate::book::Finished;
use crate::config::Config;
use crate::exit;
use crate::judge;
use crate::model::run::FlowReport;
use crate::model::{Difference, Outcome, Problem, Run, Verdict};
use crate::plan::{FlowPlan, Plan};
use sources::Databases;

/// How far a run is, for whoever watches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Step<'a> {
    /// Reading a flow's tables: this share of its range is done (0 to 1), with so many rows.
    Reading {
        /// The flow.
        flow: &'a str,
        /// 0 to 1.
        share: f64,
        /// Rows of all sides so far.
        rows: u64,
    },
    /// Looking up suspects.
    Confirming {
        /// The flow.
        flow: &'a str,
        /// Suspects decided.
        done: usize,
        /// Suspects in all, as far as they are known.
        of: usize,
    },
}

/// Called often; must be quick.
pub type Watch<'a> = &'a (dyn Fn(Step<'_>) + Sync);

/// What one flow's reconciliation gave.
struct FlowResult {
    report: FlowReport,
    differences: Vec<Difference>,
    differences_total: u64,
    problems: Vec<Problem>,
    /// A source said that the configuration does not fit it.
    misconfigured: bool,
}

/// Carries out a plan. Sources that fail are named in the result and never shown as empty; the other flows go on.
pub async fn reconcile(plan: &Plan, config: &Config, run_id: String, watch: Watch<'_>) -> Run {
    let databases = Databases::connect(plan, config).await;
    let mut results = Vec::new();
    for flow in &plan.flows {
        let mut result = flow::reconcile(flow, plan, config, &databases, watch).await;
        judge_flow(&mut result.report, flow, plan);
        results.push(result);
    }
    databases.close().await;
    assemble(plan, run_id, results)
}

fn judge_flow(report: &mut FlowReport, flow: &FlowPlan, plan: &Plan) {
    report.breaches = judge::breaches(report, &flow.flow.thresholds, plan.as_of);
    report.verdict = judge::verdict(&report.breaches);
}

fn assemble(plan: &Plan, id: String, results: Vec<FlowResult>) -> Run {
    let differences_total = results.iter().map(|result| result.differences_total).sum();
    let complete = results.iter().all(|result| result.report.complete);
    let misconfigured = results.iter().any(|result| result.misconfigured);
    let verdict = results.iter().map(|result| result.report.verdict).max().unwrap_or(Verdict::Pass);
    let mut run = Run {
        id,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        as_of: plan.as_of,
        span: plan.span,
        time_zone: plan.time_zone,
        scheduled: false,
        last_run: None,
        outcome: Outcome::of(differences_total, complete),
        complete,
        verdict,
        exit_code: exit::of_run(verdict, complete, misconfigured),
        flows: Vec::new(),
        differences: Vec::new(),
        differences_total,
        problems: Vec::new(),
    };
    for result in results {
        run.flows.push(result.report);
        run.differences.extend(result.differences);
        run.problems.extend(result.problems);
    }
    run.differences.sort();
    run.differences.truncate(Run::LISTED_MAX);
    run
}

impl From<Finished> for FlowResult {
    fn from(finished: Finished) -> Self {
        let Finished { report, differences, differences_total, problems, .. } = finished;
        Self { report, differences, differences_total, problems, misconfigured: false }
    }
}
