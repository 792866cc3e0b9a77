//! From what the flows came to, to the finished run.

use crate::book::Merged;
use crate::config::Flow;
use crate::exit;
use crate::judge;
use crate::model::life::{Acknowledged, FlowLife, LastRun};
use crate::model::run::FlowReport;
use crate::model::{Difference, Micros, Outcome, Problem, Run, Span, Verdict};
use chrono_tz::Tz;

/// What one flow's reconciliation gave.
pub(super) struct FlowOutcome {
    pub(super) report: FlowReport,
    pub(super) differences: Vec<Difference>,
    pub(super) differences_total: u64,
    pub(super) problems: Vec<Problem>,
    pub(super) misconfigured: bool,
    /// The run that it is compared with.
    pub(super) last: Option<LastRun>,
}

/// What is the same for all flows of a run.
pub(super) struct Head {
    pub(super) id: String,
    pub(super) as_of: Micros,
    pub(super) span: Span,
    pub(super) time_zone: Tz,
    pub(super) scheduled: bool,
}

impl FlowOutcome {
    pub(super) fn new(merged: Merged, differences: Vec<Difference>) -> Self {
        Self {
            report: merged.report,
            differences,
            differences_total: merged.differences,
            problems: merged.problems,
            misconfigured: merged.misconfigured,
            last: None,
        }
    }

    /// With what the ledger knows.
    pub(super) fn alive(
        mut self,
        life: Option<(FlowLife, Vec<Acknowledged>)>,
        last: Option<LastRun>,
    ) -> Self {
        if let Some((life, acknowledged)) = life {
            self.report.life = Some(life);
            self.report.acknowledged = acknowledged;
        }
        self.last = last;
        self
    }

    /// Holds the counts against the flow's thresholds.
    pub(super) fn judged(mut self, flow: &Flow, as_of: Micros) -> Self {
        self.report.outcome = Outcome::of(self.differences_total, self.report.complete);
        self.report.breaches = judge::breaches(&self.report, flow, as_of);
        self.report.verdict = judge::verdict(&self.report.breaches);
        self
    }

    /// Something kept the flow from being complete that no source knows of.
    pub(super) fn incomplete(mut self, problem: Problem) -> Self {
        self.report.complete = false;
        self.problems.push(problem);
        self
    }
}

pub(super) fn assemble(head: Head, outcomes: Vec<FlowOutcome>) -> Run {
    let differences_total = outcomes.iter().map(|outcome| outcome.differences_total).sum();
    let complete = outcomes.iter().all(|outcome| outcome.report.complete);
    let misconfigured = outcomes.iter().any(|outcome| outcome.misconfigured);
    let verdict = outcomes.iter().map(|outcome| outcome.report.verdict).max().unwrap_or(Verdict::Pass);
    let last_run = outcomes.iter().filter_map(|outcome| outcome.last.clone()).max_by_key(|last| last.as_of);
    let mut run = Run {
        id: head.id,
        version: env!("CARGO_PKG_VERSION").to_owned(),
        as_of: head.as_of,
        span: head.span,
        time_zone: head.time_zone,
        scheduled: head.scheduled,
        last_run,
        outcome: Outcome::of(differences_total, complete),
        complete,
        verdict,
        exit_code: exit::of_run(verdict, complete, misconfigured),
        flows: Vec::new(),
        differences: Vec::new(),
        differences_total,
        problems: Vec::new(),
    };
    for outcome in outcomes {
        run.flows.push(outcome.report);
        run.differences.extend(outcome.differences);
        run.problems.extend(outcome.problems);
    }
    run.differences.sort();
    run.differences.truncate(Run::LISTED_MAX);
    run
}
