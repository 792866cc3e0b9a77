//! From what happened to the alerts of a run to what each target is told.

use super::life::Step;
use super::target::Target;
use crate::config::notify::When;
use crate::model::alert::{Alert, AlertState, Digest, Event, Notice, Occasion};
use crate::model::{FlowReport, Micros, Outcome, Run, Verdict};
use sha2::{Digest as _, Sha256};

/// What a target was told before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Told {
    /// As-of of the last run that told it of its flows; else of their first run.
    pub last: Option<Micros>,
    /// As-of of the run before this one.
    pub run_before: Option<Micros>,
}

/// What a run has to tell each target; and notes in `steps` which alerts are told. A target that is told something is
/// told of everything that fires, so that the reminders of its alerts come together.
#[must_use]
pub fn digests(run: &Run, targets: &[(Target, Told)], steps: &mut [Step]) -> Vec<(Target, Digest)> {
    let found: Vec<_> = targets
        .iter()
        .filter_map(|(target, told)| Some((target.clone(), digest(run, target, told, steps)?)))
        .collect();
    note_told(run.as_of, targets, &found, steps);
    found
}

/// An alert that nobody is told of is told all the same, so that the exit code and the report stand for it; one that stands
/// in a digest of everybody who would be reminded of it counts as told with that.
fn note_told(as_of: Micros, targets: &[(Target, Told)], digests: &[(Target, Digest)], steps: &mut [Step]) {
    let is_told = |target: &Target| {
        digests.iter().any(|(one, digest)| one.name == target.name && !digest.notices.is_empty())
    };
    let heard = |alert: &Alert| {
        let reminded =
            |target: &&Target| !target.wants_all && target.wants_reminders() && target.concerns(alert);
        let mut those = targets.iter().map(|(target, _)| target).filter(reminded).peekable();
        those.peek().is_some() && those.all(is_told)
    };
    for step in steps.iter_mut().filter(|step| step.alert.state == AlertState::Firing) {
        let again = step.alert.told_at.is_some() && step.alert.silenced.is_none() && heard(&step.alert);
        let alert = &mut step.alert;
        if step.event.is_some() || again {
            // A run as of an earlier instant takes back nothing.
            alert.told_at = alert.told_at.max(Some(as_of));
            alert.told_ahead = step.ahead;
            alert.told_level = alert.told_level.max(Some(alert.level));
        }
    }
}

fn digest(run: &Run, target: &Target, told: &Told, steps: &[Step]) -> Option<Digest> {
    let reports: Vec<_> = run.flows.iter().filter(|flow| target.flows.contains(&flow.name)).collect();
    if reports.is_empty() {
        return None;
    }
    let mine = |alert: &Alert| target.concerns(alert);
    let mut notices: Vec<_> = steps.iter().filter(|step| mine(&step.alert)).filter_map(notice).collect();
    notices.retain(|notice| notice.event != Event::Reminder || target.wants_reminders());
    let firing = sorted(steps, |alert| alert.state == AlertState::Firing && mine(alert));
    let lately = told.run_before.unwrap_or(run.as_of).min(run.as_of);
    let cleared = sorted(steps, |alert| alert.cleared_at.is_some_and(|at| at >= lately) && mine(alert));
    let body = Body { reports, notices, firing, cleared };
    let occasion = body.occasion(run, target, told)?;
    Some(body.digest(run, target, occasion))
}

fn notice(step: &Step) -> Option<Notice> {
    let alert = Alert { told_level: step.alert.told_level.max(Some(step.alert.level)), ..step.alert.clone() };
    Some(Notice { event: step.event?, alert, fresh: step.fresh })
}

fn sorted(steps: &[Step], fits: impl Fn(&Alert) -> bool) -> Vec<Alert> {
    let mut alerts: Vec<_> =
        steps.iter().map(|step| &step.alert).filter(|alert| fits(alert)).cloned().collect();
    alerts.sort_by(|one, other| (other.level, &one.key).cmp(&(one.level, &other.key)));
    alerts
}

struct Body<'r> {
    reports: Vec<&'r FlowReport>,
    notices: Vec<Notice>,
    firing: Vec<Alert>,
    cleared: Vec<Alert>,
}

impl Body<'_> {
    fn occasion(&self, run: &Run, target: &Target, told: &Told) -> Option<Occasion> {
        if !self.notices.is_empty() {
            return Some(Occasion::Alert);
        }
        if target.wants_all {
            return (!self.firing.is_empty() || !self.cleared.is_empty()).then_some(Occasion::Alert);
        }
        if target.route.when == When::Always {
            return Some(Occasion::Report);
        }
        let silent = told.last.map(|last| run.as_of.since(last));
        let quiet = target.all_quiet.zip(silent).is_some_and(|(quiet, silent)| silent >= quiet);
        (quiet && run.scheduled && self.is_well()).then_some(Occasion::AllQuiet)
    }

    fn is_well(&self) -> bool {
        self.complete() && self.verdict() == Verdict::Pass && self.firing.is_empty()
    }

    fn complete(&self) -> bool {
        self.reports.iter().all(|flow| flow.complete)
    }

    fn verdict(&self) -> Verdict {
        self.reports.iter().map(|flow| flow.verdict).max().unwrap_or(Verdict::Pass)
    }

    fn outcome(&self) -> Outcome {
        let outcomes = || self.reports.iter().map(|flow| flow.outcome);
        outcomes().max().unwrap_or(Outcome::Balanced)
    }

    fn digest(mut self, run: &Run, target: &Target, occasion: Occasion) -> Digest {
        let order = |notice: &Notice| (std::cmp::Reverse(notice.alert.level), notice.alert.key.clone());
        self.notices.sort_by_key(order);
        let mut digest = Digest {
            key: String::new(),
            run: run.id.clone(),
            as_of: run.as_of,
            span: run.span,
            owner: target.owner.clone(),
            flows: self.reports.iter().map(|flow| flow.name.clone()).collect(),
            occasion,
            outcome: self.outcome(),
            verdict: self.verdict(),
            complete: self.complete(),
            exit_code: run.exit_code,
            notices: self.notices,
            firing: self.firing,
            cleared: self.cleared,
        };
        digest.key = key(target, &digest, run.scheduled);
        digest
    }
}

/// The same for the same state, whichever run comes to it: what is told to whom, as of when, of what.
fn key(target: &Target, digest: &Digest, scheduled: bool) -> String {
    let told = Digest { run: String::new(), ..digest.clone() };
    let text = serde_json::to_string(&told).unwrap_or_default();
    let mut hash = Sha256::new();
    for part in [target.name.as_str(), if scheduled { "due" } else { "range" }, text.as_str()] {
        hash.update(part.len().to_le_bytes());
        hash.update(part.as_bytes());
    }
    hash.finalize().iter().take(16).fold(String::new(), |text, byte| text + &format!("{byte:02x}"))
}

/// What a target is told when somebody tries out whether messages arrive; `nonce` makes it another than the last.
#[must_use]
pub fn test_digest(run: &Run, target: &Target, nonce: &str) -> Digest {
    let reports = run.flows.iter().collect();
    let body = Body { reports, notices: Vec::new(), firing: Vec::new(), cleared: Vec::new() };
    let mut digest = body.digest(run, target, Occasion::Test);
    digest.key = key(&Target { name: format!("{}:{nonce}", target.name), ..target.clone() }, &digest, false);
    digest
}
