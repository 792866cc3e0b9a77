//! Delivery + as-of + policy → kind: the table of kinds as code, and nothing else.

use crate::model::{Kind, Micros, State};
use crate::plan::{ConsumerRules, FlowRules};

/// What is known of an event, merged over its rows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Facts {
    /// The best state of its rows.
    pub state: State,
    /// The earliest ack time among the rows in that state.
    pub acked: Option<Micros>,
    /// The creation time of that row.
    pub created: Option<Micros>,
    /// How many rows have this id.
    pub rows: u32,
}

impl Facts {
    /// The instant that assigns the window: the ack time, else the creation time.
    #[must_use]
    pub fn placed(&self) -> Option<Micros> {
        self.acked.or(self.created)
    }

    /// Two rows of one id as one message in its best state; of equal states the one placed earlier.
    #[must_use]
    pub fn merged(self, other: Self) -> Self {
        let rows = self.rows.saturating_add(other.rows);
        let first = |facts: &Self| (facts.placed().unwrap_or(Micros(i64::MAX)), facts.created);
        let best = match self.state.cmp(&other.state) {
            std::cmp::Ordering::Less => other,
            std::cmp::Ordering::Equal if first(&other) < first(&self) => other,
            std::cmp::Ordering::Equal | std::cmp::Ordering::Greater => self,
        };
        Self { rows, ..best }
    }
}

/// What is known of a dead letter.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Dead {
    /// Written off.
    pub closed: bool,
    /// When the consumer gave up.
    pub at: Option<Micros>,
    /// Why.
    pub reason: Option<String>,
}

/// Everything that is known of one message at one consumer.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Delivery {
    /// `None`: the producer does not know it.
    pub event: Option<Facts>,
    /// Receipt rows.
    pub receipts: u64,
    /// The earliest receipt with a usable time.
    pub first: Option<Micros>,
    /// The latest receipt with a usable time.
    pub last: Option<Micros>,
    /// An open dead letter outranks a closed one.
    pub dead: Option<Dead>,
}

/// The kind of one message at one consumer; `None` where this consumer has nothing to say of it: an event that is not
/// acked and not consumed either, an event of unknown state, or no trace of anything.
#[must_use]
pub fn at_consumer(delivery: &Delivery, flow: &FlowRules, consumer: &ConsumerRules) -> Option<Kind> {
    let dead_open = delivery.dead.as_ref().is_some_and(|dead| !dead.closed);
    let Some(event) = &delivery.event else {
        return (delivery.receipts > 0 || dead_open).then_some(Kind::Orphan);
    };
    match (event.state, delivery.receipts) {
        (State::Unknown, _) | (State::Pending | State::Failed, 0) => None,
        (State::Pending | State::Failed, _) => Some(Kind::AckLost),
        (State::Acked, 0) if dead_open => Some(Kind::DeadLettered),
        (State::Acked, 0) if delivery.dead.is_some() => Some(Kind::Discarded),
        (State::Acked, 0) => Some(unconsumed(event, flow, consumer)),
        (State::Acked, 1) => Some(if is_late(event, delivery.first, flow) { Kind::Late } else { Kind::Ok }),
        (State::Acked, _) => Some(Kind::Duplicate),
    }
}

/// An acked message without receipt and dead letter.
fn unconsumed(event: &Facts, flow: &FlowRules, consumer: &ConsumerRules) -> Kind {
    let Some(acked) = event.placed() else { return Kind::Unverifiable };
    let visible = consumer.fresh_until.map_or(flow.as_of, |fresh| fresh.min(flow.as_of));
    if flow.as_of.since(acked) < flow.grace {
        Kind::InFlight
    } else if consumer.retention.is_some_and(|kept| flow.as_of.since(acked) > kept)
        || visible.since(acked) < flow.grace
    {
        Kind::Unverifiable
    } else {
        Kind::Missing
    }
}

/// Whether a receipt at `first` is later after the ack than the flow allows. Without an ack time nothing is late.
#[must_use]
pub fn is_late(event: &Facts, first: Option<Micros>, flow: &FlowRules) -> bool {
    match (flow.late_after, event.acked, first) {
        (Some(late_after), Some(acked), Some(first)) => first.since(acked) > late_after,
        _ => false,
    }
}

/// The kind of an event that no consumer has a receipt of, at the producer alone; `None` for acked and unknown ones.
///
/// A lagging replica is judged by what it can know: an event that was pending when its data end.
#[must_use]
pub fn at_producer(event: &Facts, flow: &FlowRules) -> Option<Kind> {
    let visible = flow.events_fresh_until.map_or(flow.as_of, |fresh| fresh.min(flow.as_of));
    match event.state {
        State::Acked | State::Unknown => None,
        State::Failed => Some(Kind::PublishFailed),
        State::Pending => {
            let since = event.created.or(event.acked);
            let stuck = since.is_some_and(|since| visible.since(since) >= flow.stuck_after);
            Some(if stuck { Kind::Stuck } else { Kind::Pending })
        }
    }
}
