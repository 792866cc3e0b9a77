//! The life of an alert: what was known + what a run read → what is known, and what somebody is to be told.

use crate::config::notify::Silence;
use crate::judge::Reading;
use crate::model::alert::{Alert, AlertKey, AlertState, Event, Open, Silenced};
use crate::model::{Kind, Micros, Verdict};
use std::collections::BTreeMap;

/// What does not depend on the flow.
#[derive(Clone, Copy, Debug)]
pub struct Policy<'a> {
    /// The run's as-of.
    pub as_of: Micros,
    /// Alerts that go on firing are told again after so many microseconds.
    pub remind: i64,
    /// What nobody is told of.
    pub silences: &'a [Silence],
}

/// What a run has seen of one flow.
#[derive(Clone, Copy, Debug)]
pub struct Looked<'a> {
    /// The flow's name.
    pub flow: &'a str,
    /// The ledger chose the windows: what it did not read stands as recorded. A range says nothing of the rest.
    pub scheduled: bool,
    /// The begin of what was judged.
    pub from: Micros,
    /// The end of what was judged.
    pub until: Micros,
    /// Every metric that could be read.
    pub readings: &'a [Reading],
    /// What the ledger knows to be open.
    pub open: &'a [Open],
}

/// An alert after a run, and what happened to it that somebody is to be told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// The alert.
    pub alert: Alert,
    /// What happened, if something did.
    pub event: Option<Event>,
    /// Of a kind of difference: so many open messages have become of it since somebody was last told.
    pub fresh: u64,
    /// Of what is over the bound, so much lies in windows that are not due yet.
    pub ahead: u64,
}

/// The alerts of one flow after a run. What could not be read stays as it was: not known is not well.
#[must_use]
pub fn step(before: &[Alert], looked: &Looked<'_>, policy: &Policy<'_>) -> Vec<Step> {
    let mut known: BTreeMap<&AlertKey, &Alert> = before.iter().map(|alert| (&alert.key, alert)).collect();
    let mut steps = Vec::new();
    for reading in looked.readings {
        let key = AlertKey {
            flow: looked.flow.to_owned(),
            consumer: reading.consumer.clone(),
            metric: reading.metric.clone(),
        };
        let one = One { before: known.remove(&key), reading, looked, policy };
        steps.extend(one.step(key));
    }
    let unread = known.into_values().filter(|alert| alert.state != AlertState::Cleared);
    steps.extend(unread.map(|alert| unread_step(alert, policy)));
    steps.sort_by(|one, other| one.alert.key.cmp(&other.alert.key));
    steps
}

/// An alert whose metric could not be read.
fn unread_step(alert: &Alert, policy: &Policy<'_>) -> Step {
    let alert = Alert { silenced: silenced(&alert.key, policy), ..alert.clone() };
    let event = (alert.state == AlertState::Firing).then(|| due(&alert, policy, 0)).flatten();
    Step { event, fresh: 0, ahead: alert.told_ahead, alert }
}

/// An alert that nobody watches any more: the configuration holds no bound of its metric, or its consumer is gone. No run
/// could ever find it well again, so that this one ends it.
#[must_use]
pub fn retired(alert: &Alert, as_of: Micros) -> Option<Step> {
    let was_told = alert.state != AlertState::Cleared && alert.told_at.is_some();
    let state = AlertState::Cleared;
    let alert = Alert { state, seen_at: as_of, cleared_at: Some(as_of), silenced: None, ..alert.clone() };
    was_told.then_some(Step { alert, event: Some(Event::Cleared), fresh: 0, ahead: 0 })
}

/// One metric and its alert.
struct One<'a> {
    before: Option<&'a Alert>,
    reading: &'a Reading,
    looked: &'a Looked<'a>,
    policy: &'a Policy<'a>,
}

impl One<'_> {
    fn step(&self, key: AlertKey) -> Option<Step> {
        let before = self.before.filter(|alert| alert.state != AlertState::Cleared);
        match before {
            None if self.reading.level.is_none() => self.stays_cleared(),
            Some(alert) if alert.state == AlertState::Firing && !self.reading.unwell => self.clears(alert),
            Some(alert) if alert.state == AlertState::Pending && self.reading.level.is_none() => {
                self.gives_up_waiting(alert)
            }
            before => Some(self.fires(key, before)),
        }
    }

    /// What was well stays known as that for the target that wants to be told twice.
    fn stays_cleared(&self) -> Option<Step> {
        self.before.map(|alert| Step { alert: alert.clone(), event: None, fresh: 0, ahead: 0 })
    }

    fn gives_up_waiting(&self, alert: &Alert) -> Option<Step> {
        (!self.may_clear(alert)).then(|| Step { alert: alert.clone(), event: None, fresh: 0, ahead: 0 })
    }

    fn clears(&self, alert: &Alert) -> Option<Step> {
        if !self.may_clear(alert) {
            return Some(unread_step(alert, self.policy));
        }
        let was_told = alert.told_at.is_some();
        let alert = Alert {
            state: AlertState::Cleared,
            value: self.reading.value.clone(),
            seen_at: self.policy.as_of,
            seen_until: self.looked.until,
            cleared_at: Some(self.policy.as_of),
            silenced: None,
            ..alert.clone()
        };
        was_told.then_some(Step { alert, event: Some(Event::Cleared), fresh: 0, ahead: 0 })
    }

    /// Whether what this run has read says that the alert is well. A scheduled run that has read all of it says so. Any
    /// other does if nothing is open of the kind anywhere, and nothing was told ahead of its window, where no range looks;
    /// or, of what the ledger does not know to be open, a range that covers what was looked at then.
    fn may_clear(&self, alert: &Alert) -> bool {
        let kind = self.reading.kind.filter(|kind| kind.is_difference() && *kind != Kind::Late);
        match kind {
            _ if self.looked.scheduled && self.reading.whole => true,
            Some(kind) => alert.told_ahead == 0 && self.open_of(kind).next().is_none(),
            None => {
                let covers = self.looked.from <= alert.seen_from && self.looked.until >= alert.seen_until;
                self.reading.whole && covers
            }
        }
    }

    fn open_of(&self, kind: Kind) -> impl Iterator<Item = &Open> {
        let of = move |open: &&Open| open.kind == kind && open.consumer == self.reading.consumer;
        self.looked.open.iter().filter(of)
    }

    /// It is over its bound, or was and is not well again.
    fn fires(&self, key: AlertKey, before: Option<&Alert>) -> Step {
        let held = self.held(before);
        let goes_on = before.is_some_and(|alert| alert.state == AlertState::Firing);
        // All windows together may reach a bound that none reaches alone.
        let row = held.max(self.reading.held.unwrap_or(0));
        let fires = goes_on || self.reading.hold <= 1 || row >= self.reading.hold;
        let (level, value, bound) = self.measured(before);
        let told_ahead = before.map_or(0, |alert| alert.told_ahead);
        // A range does not look beyond its end.
        let ahead = if self.looked.scheduled { self.reading.ahead } else { told_ahead };
        let mut alert = Alert {
            silenced: silenced(&key, self.policy),
            key,
            state: if fires { AlertState::Firing } else { AlertState::Pending },
            level,
            value,
            bound,
            since: before.map_or(self.policy.as_of, |alert| alert.since),
            held,
            seen_at: self.policy.as_of,
            seen_from: self.looked.from,
            seen_until: before.map_or(self.looked.until, |alert| alert.seen_until.max(self.looked.until)),
            told_at: before.and_then(|alert| alert.told_at),
            told_level: before.and_then(|alert| alert.told_level),
            told_ahead,
            cleared_at: None,
        };
        let come = ahead + self.come(alert.told_at);
        let fresh = come.saturating_sub(told_ahead);
        // What was told ahead and is gone must not hide as many that come later.
        alert.told_ahead = told_ahead.min(come);
        let event = fires.then(|| due(&alert, self.policy, fresh)).flatten();
        Step { alert, event, fresh, ahead }
    }

    /// So many windows, or runs, in a row are over the bound. A run reads a few windows of a long row, so that what it reads
    /// adds to what was known. Ranges that somebody asks for say nothing of a row.
    fn held(&self, before: Option<&Alert>) -> u64 {
        let known = before.map_or(0, |alert| alert.held);
        let is_later = before.is_none_or(|alert| self.policy.as_of > alert.seen_at);
        let is_newer = before.is_none_or(|alert| self.looked.until > alert.seen_until);
        match self.reading.held {
            None => known + u64::from(self.looked.scheduled && is_later),
            Some(_) if self.reading.tail == 0 => 0,
            Some(_) => self.reading.tail.max(known + u64::from(self.looked.scheduled && is_newer)),
        }
    }

    /// Level, value and bound. What was read in part, or of a range that ends before what was seen last, makes nothing
    /// look better than it was.
    fn measured(&self, before: Option<&Alert>) -> (Verdict, String, String) {
        let less = |alert: &&Alert| {
            let older = !self.looked.scheduled && self.looked.until < alert.seen_until;
            (older || !self.reading.whole) && self.reading.level <= Some(alert.level)
        };
        if let Some(alert) = before.filter(less) {
            return (alert.level, alert.value.clone(), alert.bound.clone());
        }
        let level = self.reading.level.or(before.map(|alert| alert.level)).unwrap_or(Verdict::Warn);
        (level, self.reading.value.clone(), self.reading.bound.clone())
    }

    /// How many open differences have become of this kind since somebody was last told.
    fn come(&self, told_at: Option<Micros>) -> u64 {
        let Some(kind) = self.reading.kind else { return 0 };
        let since = told_at.unwrap_or(Micros(i64::MIN));
        self.open_of(kind).filter(|open| open.since > since).map(|open| open.count).sum()
    }
}

/// What somebody is to be told of an alert that fires.
fn due(alert: &Alert, policy: &Policy<'_>, fresh: u64) -> Option<Event> {
    if alert.silenced.is_some() {
        return None;
    }
    let Some(told_at) = alert.told_at else { return Some(Event::New) };
    if alert.told_level.is_some_and(|told| alert.level > told) {
        Some(Event::Raised)
    } else if fresh > 0 {
        Some(Event::Grown)
    } else {
        (policy.as_of.since(told_at) >= policy.remind).then_some(Event::Reminder)
    }
}

/// The silence over an alert that ends last.
fn silenced(key: &AlertKey, policy: &Policy<'_>) -> Option<Silenced> {
    let holds = |set: &Option<String>, name: Option<&str>| set.as_deref().is_none_or(|set| Some(set) == name);
    let covers = |silence: &&Silence| {
        silence.from.is_none_or(|from| from <= policy.as_of)
            && policy.as_of < silence.until
            && holds(&silence.flow, Some(&key.flow))
            && holds(&silence.consumer, key.consumer.as_deref())
            && holds(&silence.metric, Some(&key.metric))
    };
    let last = policy.silences.iter().filter(covers).max_by_key(|silence| silence.until)?;
    Some(Silenced { reason: last.reason.clone(), until: last.until })
}
