//! The part of a run that a digest may tell of.

use crate::model::{Digest, FlowReport, Kind, Run};
use crate::report::facts;
use std::borrow::Cow;

/// The run with the digest's flows alone, and the digest's outcome.
#[must_use]
pub fn part<'a>(run: &'a Run, digest: &Digest) -> Cow<'a, Run> {
    if run.flows.iter().all(|flow| digest.flows.contains(&flow.name)) {
        return Cow::Borrowed(run);
    }
    let told = |flow: &str| digest.flows.iter().any(|one| one == flow);
    let mut part = Run {
        flows: run.flows.iter().filter(|flow| told(&flow.name)).cloned().collect(),
        differences: run.differences.iter().filter(|one| told(&one.flow)).cloned().collect(),
        problems: run.problems.iter().filter(|one| one.flow.as_deref().is_none_or(told)).cloned().collect(),
        outcome: digest.outcome,
        complete: digest.complete,
        verdict: digest.verdict,
        differences_total: 0,
        ..bare(run)
    };
    let counted = Kind::ALL.into_iter().filter(|kind| kind.is_difference());
    let counted: u64 = counted.map(|kind| facts::counted(&part, kind)).sum();
    part.differences_total = counted.max(part.differences.len() as u64);
    Cow::Owned(part)
}

/// The run without its long lists.
fn bare(run: &Run) -> Run {
    Run {
        id: run.id.clone(),
        version: run.version.clone(),
        last_run: run.last_run.clone(),
        flows: Vec::<FlowReport>::new(),
        differences: Vec::new(),
        problems: Vec::new(),
        ..*run
    }
}
