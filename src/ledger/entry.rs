//! A difference as the ledger keeps it, and how it lives: pure.
//!
//! A difference is known by flow, consumer and id; its kind is part of its history. It is open while somebody has to act,
//! resolved once the sources say that nothing is left to do, expired once they no longer hold what could say so.

use crate::model::{Difference, Id, Kind, Micros, Status};
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};

/// So many moments of a history are kept, the first and the latest.
const HISTORY_MAX: usize = 50;
/// Ids up to so many bytes are their own key.
const KEY_MAX: usize = 200;
/// Of longer ones, so many bytes stand before the digest.
const KEY_START: usize = 100;

/// Where a difference is in its life.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum State {
    /// Somebody has to act.
    Open,
    /// Nothing is left to do.
    Resolved,
    /// The sources no longer hold what could tell.
    Expired,
}

impl State {
    /// As it stands in the ledger and in every file.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Open => "open",
            Self::Resolved => "resolved",
            Self::Expired => "expired",
        }
    }

    /// The state of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Self {
        match name {
            "resolved" => Self::Resolved,
            "expired" => Self::Expired,
            _ => Self::Open,
        }
    }
}

/// When a difference became what.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Moment {
    /// As-of of the run that saw it.
    pub at: Micros,
    /// What it was then.
    pub kind: Kind,
    /// In which state.
    pub state: State,
}

/// One difference.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// The flow's name.
    pub flow: String,
    /// `None` for the producer alone.
    pub consumer: Option<String>,
    /// The message.
    pub id: Id,
    /// What it is, or was when it was last one.
    pub kind: Kind,
    /// Where it is in its life.
    pub state: State,
    /// Start of the window that it belongs to.
    pub window_from: Option<Micros>,
    /// What its age counts from.
    pub home_at: Option<Micros>,
    /// Of the event.
    pub created_at: Option<Micros>,
    /// Of the event.
    pub acked_at: Option<Micros>,
    /// The first receipt's.
    pub consumed_at: Option<Micros>,
    /// Evidence in a few words.
    pub detail: String,
    /// As-of of the first run that saw it.
    pub first_seen: Micros,
    /// As-of of the last run that saw it as a difference.
    pub last_seen: Micros,
    /// How many runs saw it as one.
    pub times_seen: u64,
    /// As-of of the last run that looked.
    pub checked_at: Micros,
    /// Its window had been judged without it.
    pub found_late: bool,
    /// Somebody knows of it until then.
    pub ack_until: Option<Micros>,
    /// And says why.
    pub ack_reason: Option<String>,
    /// As-of of the run that found it to be none any more; `None` where it never was open.
    pub resolved_at: Option<Micros>,
    /// Why it is none any more.
    pub resolution: Option<String>,
    /// When it became what.
    pub history: Vec<Moment>,
}

/// What a run's sight of a known difference means for the ledger.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// This run, or a later one, has written it already.
    None,
    /// Seen again as it was.
    Again,
    /// Something of it is other than it was.
    Anew(Box<Entry>),
}

/// The bytes that stand for an id in an index.
#[must_use]
pub fn key(id: &Id) -> Vec<u8> {
    let bytes = id.to_bytes();
    if bytes.len() <= KEY_MAX {
        return bytes;
    }
    let mut key = bytes[..KEY_START].to_vec();
    key.extend_from_slice(b"\0sha256:");
    key.extend_from_slice(&Sha256::digest(&bytes));
    key
}

/// A message that was consumed late needs no repair: it is told once and then history.
fn state_of(kind: Kind) -> State {
    if kind == Kind::Late { State::Resolved } else { State::Open }
}

impl Entry {
    /// A difference that was never seen before; `None` where it has no id to be known by.
    #[must_use]
    pub fn first(seen: &Difference, as_of: Micros, found_late: bool) -> Option<Self> {
        let state = state_of(seen.kind);
        Some(Self {
            flow: seen.flow.clone(),
            consumer: seen.consumer.clone(),
            id: seen.id.clone()?,
            kind: seen.kind,
            state,
            window_from: seen.window_from,
            home_at: seen.age.map(|age| as_of.plus(-age)),
            created_at: seen.created_at,
            acked_at: seen.acked_at,
            consumed_at: seen.consumed_at,
            detail: seen.detail.clone(),
            first_seen: as_of,
            last_seen: as_of,
            times_seen: 1,
            checked_at: as_of,
            found_late,
            ack_until: None,
            ack_reason: None,
            resolved_at: None,
            resolution: (state == State::Resolved).then(|| seen.detail.clone()),
            history: vec![Moment { at: as_of, kind: seen.kind, state }],
        })
    }

    /// What a run as of `as_of` makes of it that sees it as `seen`.
    #[must_use]
    pub fn seen(&self, seen: &Difference, as_of: Micros) -> Change {
        if as_of < self.checked_at {
            return Change::None;
        }
        let state = state_of(seen.kind);
        let same = self.kind == seen.kind
            && self.state == state
            && self.window_from == seen.window_from
            && self.detail == seen.detail
            && (self.created_at, self.acked_at, self.consumed_at)
                == (seen.created_at, seen.acked_at, seen.consumed_at);
        match (same, as_of == self.last_seen) {
            (true, true) => Change::None,
            (true, false) => Change::Again,
            (false, _) => Change::Anew(Box::new(self.changed(seen, as_of, state))),
        }
    }

    fn changed(&self, seen: &Difference, as_of: Micros, state: State) -> Self {
        let closes = self.state == State::Open && state == State::Resolved;
        // What was acknowledged was that kind of difference, and no other.
        let acknowledged = state == State::Open && self.kind == seen.kind;
        let mut entry = Self {
            kind: seen.kind,
            state,
            window_from: seen.window_from,
            home_at: seen.age.map(|age| as_of.plus(-age)),
            created_at: seen.created_at,
            acked_at: seen.acked_at,
            consumed_at: seen.consumed_at,
            detail: seen.detail.clone(),
            last_seen: as_of,
            times_seen: self.times_seen + u64::from(as_of > self.last_seen),
            checked_at: as_of,
            ack_until: self.ack_until.filter(|_| acknowledged),
            ack_reason: self.ack_reason.clone().filter(|_| acknowledged),
            resolved_at: if closes {
                Some(as_of)
            } else {
                self.resolved_at.filter(|_| state == State::Resolved)
            },
            resolution: (state == State::Resolved).then(|| seen.detail.clone()),
            ..self.clone()
        };
        entry.remember(as_of);
        entry
    }

    /// It is no difference any more; `expired` says that nobody can tell any more.
    #[must_use]
    pub fn healed(&self, as_of: Micros, evidence: &str, expired: bool) -> Self {
        let mut entry = Self {
            state: if expired { State::Expired } else { State::Resolved },
            checked_at: as_of,
            resolved_at: Some(as_of),
            resolution: Some(evidence.to_owned()),
            ..self.clone()
        };
        entry.remember(as_of);
        entry
    }

    /// The same run may see a message twice on its way to a judgement; only what it ends in is history.
    fn remember(&mut self, at: Micros) {
        let moment = Moment { at, kind: self.kind, state: self.state };
        self.history.retain(|known| known.at < at);
        if self.history.last().is_none_or(|last| (last.kind, last.state) != (moment.kind, moment.state)) {
            self.history.push(moment);
        }
        if self.history.len() > HISTORY_MAX {
            self.history.remove(HISTORY_MAX / 2);
        }
    }

    /// How a run as of `as_of` shows it that compares itself with one as of `last`.
    #[must_use]
    pub fn status(&self, as_of: Micros, last: Option<Micros>) -> Status {
        match self.state {
            State::Open if self.ack_until.is_some_and(|until| until > as_of) => Status::Acknowledged,
            _ if last.is_none_or(|last| self.first_seen > last) => Status::New,
            State::Open => Status::Open,
            State::Resolved | State::Expired => Status::Resolved,
        }
    }

    /// As a report lists it.
    #[must_use]
    pub fn to_difference(&self, as_of: Micros, last: Option<Micros>) -> Difference {
        Difference {
            flow: self.flow.clone(),
            consumer: self.consumer.clone(),
            window_from: self.window_from,
            kind: self.kind,
            id: Some(self.id.clone()),
            created_at: self.created_at,
            acked_at: self.acked_at,
            consumed_at: self.consumed_at,
            age: self.home_at.map(|home| as_of.since(home)),
            first_seen: self.first_seen,
            detail: self.detail.clone(),
            status: self.status(as_of, last),
            times_seen: self.times_seen,
            after_first_check: self.found_late,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::time::{DAY, HOUR};

    fn difference(kind: Kind, detail: &str) -> Difference {
        Difference {
            flow: "orders".to_owned(),
            consumer: Some("points".to_owned()),
            window_from: Some(Micros(0)),
            kind,
            id: Some(Id::from_text("m1")),
            created_at: None,
            acked_at: Some(Micros(5)),
            consumed_at: None,
            age: Some(DAY),
            first_seen: Micros(DAY),
            detail: detail.to_owned(),
            status: Status::New,
            times_seen: 1,
            after_first_check: false,
        }
    }

    fn at(hours: i64) -> Micros {
        Micros(DAY + hours * HOUR)
    }

    #[test]
    fn a_difference_lives_from_missing_to_late() {
        let missing = difference(Kind::Missing, "");
        let first = Entry::first(&missing, at(0), false).unwrap();
        assert_eq!((first.state, first.home_at), (State::Open, Some(Micros(0))));
        assert_eq!(first.seen(&missing, at(0)), Change::None, "the same run again");
        assert_eq!(first.seen(&missing, at(-1)), Change::None, "a run as of an earlier instant");
        assert_eq!(first.seen(&difference(Kind::Missing, ""), at(1)), Change::Again);
        let Change::Anew(late) = first.seen(&difference(Kind::Late, "consumed 2h after the ack"), at(2))
        else {
            panic!("it changed")
        };
        assert_eq!((late.kind, late.state, late.resolved_at), (Kind::Late, State::Resolved, Some(at(2))));
        assert_eq!(late.resolution.as_deref(), Some("consumed 2h after the ack"));
        let kinds: Vec<_> = late.history.iter().map(|moment| (moment.at, moment.kind)).collect();
        assert_eq!(kinds, [(at(0), Kind::Missing), (at(2), Kind::Late)]);
        let again = late.seen(&difference(Kind::Late, "consumed 2h after the ack"), at(3));
        assert_eq!(again, Change::Again);
    }

    #[test]
    fn a_late_message_was_never_open() {
        let late = Entry::first(&difference(Kind::Late, "x"), at(0), false).unwrap();
        assert_eq!((late.state, late.resolved_at), (State::Resolved, None));
        assert_eq!(late.status(at(0), None), Status::New);
        assert_eq!(late.status(at(1), Some(at(0))), Status::Resolved);
    }

    #[test]
    fn an_acknowledgement_is_of_one_kind_and_ends() {
        let mut entry = Entry::first(&difference(Kind::Missing, ""), at(0), false).unwrap();
        entry.ack_until = Some(at(10));
        assert_eq!(entry.status(at(9), Some(at(8))), Status::Acknowledged);
        assert_eq!(entry.status(at(10), Some(at(9))), Status::Open);
        let Change::Anew(dead) = entry.seen(&difference(Kind::DeadLettered, ""), at(2)) else {
            panic!("it changed")
        };
        assert_eq!((dead.ack_until, dead.state), (None, State::Open));
    }

    #[test]
    fn what_healed_may_open_again() {
        let entry = Entry::first(&difference(Kind::Orphan, ""), at(0), false).unwrap();
        let healed = entry.healed(at(1), "its event is there", false);
        assert_eq!((healed.state, healed.times_seen), (State::Resolved, 1));
        let Change::Anew(back) = healed.seen(&difference(Kind::Orphan, ""), at(2)) else {
            panic!("it changed")
        };
        assert_eq!((back.state, back.resolved_at, back.resolution), (State::Open, None, None));
        assert_eq!((back.times_seen, back.history.len()), (2, 3));
    }

    #[test]
    fn a_run_that_sees_it_twice_leaves_what_one_sight_leaves() {
        let entry = Entry::first(&difference(Kind::Missing, ""), at(0), false).unwrap();
        let once = entry.healed(at(1), "consumed", false);
        assert_eq!(once.healed(at(1), "consumed", false), once);
    }

    #[test]
    fn keys_of_long_ids_are_short_and_differ() {
        let long = |end: &str| Id::from_text(&("x".repeat(1000) + end));
        assert_eq!(key(&Id::from_text("m1")), b"m1");
        assert!(key(&long("a")).len() <= KEY_MAX && key(&long("a")) != key(&long("b")));
    }
}
