//! One consumer's books: its pairing, its counts per window, its receipts.

use crate::classify::{Dead, Delivery, Facts, at_consumer};
use crate::model::latency::Latency;
use crate::model::tally::Receipts;
use crate::model::time::human;
use crate::model::window::position;
use crate::model::{DeadLetter, Difference, Id, Kind, Micros, Receipt, State, Totals};
use crate::pair::{Complete, Pairing, Recalled, Room, Seen, Settling};
use crate::plan::{ConsumerRules, FlowRules};
use hashbrown::HashMap;

use super::aside::Aside;
use super::parts::Part;
use super::{Findings, Sight};

/// So many ids of each piece are looked at to see where pieces end.
const SAMPLES: usize = 100;
/// The times of so many differences of a kind are kept to see whether they cluster.
const CLUSTER_MAX: usize = 10_000;

/// One consumer's books.
#[derive(Debug)]
pub(super) struct ConsumerBook {
    pub(super) place: usize,
    pub(super) windows: Vec<Totals>,
    /// Whether a window holds rows that no verdict was possible on.
    pub(super) flaws: Vec<bool>,
    pub(super) receipts: Receipts,
    pub(super) latency: Latency,
    pub(super) measured: bool,
    pub(super) parked: u64,
    pub(super) dead_without_id: u64,
    /// Receipts of unknown messages that have no usable time, and so belong to no range.
    pub(super) undated: u64,
    pub(super) undated_ids: Vec<String>,
    /// Receipts that look like orphans, but lie where the event table's replica does not reach.
    pub(super) beyond_events: u64,
    /// When differences happened, by kind: at the consumer where there is a receipt, else at the ack.
    pub(super) moments: HashMap<Kind, Vec<Micros>>,
    /// What look-ups said of each message, where somebody wants to know.
    pub(super) sights: Option<Vec<Sight>>,
    pub(super) suspects: HashMap<Id, Seen>,
    pub(super) dead: HashMap<Id, Dead>,
    pub(super) pairing: Pairing,
    pub(super) aside: Aside,
    events_done: bool,
}

impl ConsumerBook {
    pub(super) fn new(rules: &FlowRules, place: usize, room: Room) -> Self {
        let unique = rules.event_ids_unique && rules.consumers[place].receipt_ids_unique;
        Self {
            place,
            windows: vec![Totals::default(); rules.windows.len()],
            flaws: vec![false; rules.windows.len()],
            receipts: Receipts::default(),
            latency: Latency::default(),
            measured: false,
            parked: 0,
            dead_without_id: 0,
            undated: 0,
            undated_ids: Vec::new(),
            beyond_events: 0,
            moments: HashMap::new(),
            sights: None,
            suspects: HashMap::new(),
            dead: HashMap::new(),
            pairing: Pairing::new(unique, rules.late_after, room),
            aside: Aside::default(),
            events_done: false,
        }
    }

    pub(super) fn event(&mut self, id: &Id, row: Facts, rules: &FlowRules, findings: &mut Findings) {
        self.row(id, row, false, rules, findings);
    }

    /// An event row; `short` says that its creation time was not read.
    pub(super) fn row(
        &mut self,
        id: &Id,
        row: Facts,
        short: bool,
        rules: &FlowRules,
        findings: &mut Findings,
    ) {
        let (before, now, pair) = self.pairing.event(id, row, short);
        self.move_acked(before.as_ref(), Some(&now), rules);
        if let Some(pair) = pair {
            self.complete(id, &pair, rules, findings);
        }
    }

    fn complete(&mut self, id: &Id, pair: &Complete, rules: &FlowRules, findings: &mut Findings) {
        match pair {
            (delivery, Settling::Now) => _ = self.enter(id, delivery, rules, findings),
            (delivery, Settling::Later) => self.aside.delivery(delivery, rules),
        }
    }

    pub(super) fn receipt(&mut self, row: Receipt, rules: &FlowRules, findings: &mut Findings) {
        let at = row.consumed.at();
        let Some(id) = row.id else {
            self.receipts.without_id += u64::from(at.is_none_or(|at| rules.span.contains(at)));
            self.flaw(at, rules);
            return;
        };
        self.receipts.read += 1;
        let elsewhere = at.is_some_and(|at| !rules.span.contains(at));
        if self.events_done && elsewhere && !self.dead.contains_key(&id) {
            match self.pairing.settle_outside(&id, at) {
                Some(Settling::Now) => return self.receipts.outside += 1,
                Some(Settling::Later) => return self.aside.outside += 1,
                None => {}
            }
        }
        if let Some((id, pair)) = self.pairing.receipt(id, at) {
            self.complete(&id, &pair, rules, findings);
        }
    }

    pub(super) fn events_done(&mut self) {
        self.events_done = true;
    }

    pub(super) fn dead_letter(&mut self, row: DeadLetter, rules: &FlowRules) {
        let dead = Dead { closed: row.closed, at: row.dead.at(), reason: row.reason };
        let Some(id) = row.id else {
            self.dead_without_id += u64::from(dead.at.is_none_or(|at| rules.span.contains(at)));
            self.flaw(dead.at, rules);
            return;
        };
        let known = self.dead.remove(&id);
        self.dead.insert(id, stronger(known, dead));
    }

    /// Everything was read: enters what was set aside and did not come again, all at once where nothing did. Of events that
    /// did, the producer's `own` is told where it has left them to this consumer.
    pub(super) fn recall(
        &mut self,
        mut own: Option<&mut Pairing>,
        rules: &FlowRules,
        findings: &mut Findings,
    ) {
        let mut pairing = std::mem::take(&mut self.pairing);
        let dead = std::mem::take(&mut self.dead);
        let aside = std::mem::take(&mut self.aside);
        let stands = pairing.recall(dead.keys(), &mut |recalled| match recalled {
            Recalled::Settled(_, delivery) if delivery.event.is_none() => self.receipts.outside += 1,
            Recalled::Settled(id, delivery) => _ = self.enter(id, &delivery, rules, findings),
            Recalled::Again(id, seen) => own.iter_mut().for_each(|own| own.note_sole(id, seen)),
            Recalled::Merged(one, other, now) => self.merge_acked(one, other, now, rules),
        });
        (self.pairing, self.dead) = (pairing, dead);
        if stands {
            self.windows.iter_mut().zip(&aside.windows).for_each(|(window, more)| window.merge(more));
            self.measured |= aside.measured;
            self.latency.merge(&aside.latency);
            self.receipts.outside += aside.outside;
        }
    }

    /// Makes a part of what was read ready to be decided: settles what pairs after all, and fixes the suspects.
    pub(super) fn open_part(&mut self, part: &Part, rules: &FlowRules, findings: &mut Findings) {
        self.suspects = HashMap::new();
        let (mut pairing, until) = (std::mem::take(&mut self.pairing), part.until.as_ref());
        let mut held = pairing.take(until, &mut |one, other, now| self.merge_acked(one, other, now, rules));
        self.pairing = pairing;
        held.retain(|id, seen| {
            // What does not fit is put off, not lost: the look-up finds it again.
            let settled = seen.settled(rules.late_after).filter(|_| !findings.is_full());
            match settled {
                Some(delivery) => _ = self.enter(id, &delivery, rules, findings),
                None => return !self.is_outside(id, seen, rules),
            }
            false
        });
        held.shrink_to_fit();
        self.suspects = held;
        for id in self.dead.keys().filter(|id| part.has(id)) {
            self.suspects.entry_ref(id).or_insert(Seen::NOTHING);
        }
    }

    /// A receipt without an event of the range, from outside the range itself: nothing to ask. One without a time may be
    /// anybody's, so it is asked for too.
    fn is_outside(&mut self, id: &Id, seen: &Seen, rules: &FlowRules) -> bool {
        let undated = rules.consumers[self.place].receipts_dated && seen.first().is_none();
        let in_range = seen.first().is_some_and(|at| rules.span.contains(at)) || undated;
        let outside = seen.event().is_none() && !in_range && !self.dead.contains_key(id);
        self.receipts.outside += if outside { u64::from(seen.receipts) } else { 0 };
        outside
    }

    /// Marks the window of an instant as one that could not be judged to its last row.
    pub(super) fn flaw(&mut self, at: Option<Micros>, rules: &FlowRules) {
        if let Some(place) = at.and_then(|at| position(&rules.windows, at)) {
            self.flaws[place] = true;
        }
    }

    /// The suspects from one id on and below another, sorted.
    pub(super) fn suspects(&self, from: Option<&Id>, until: Option<&Id>) -> Vec<Id> {
        let mine = |id: &&Id| from.is_none_or(|from| *id >= from) && until.is_none_or(|until| *id < until);
        let mut ids: Vec<_> = self.suspects.keys().filter(mine).cloned().collect();
        ids.sort_unstable();
        ids
    }

    /// Ids that part the suspects into pieces of about so many, by a sample of them.
    pub(super) fn bounds(&self, wanted: usize) -> Vec<Id> {
        let parts = self.suspects.len() / wanted + 1;
        let step = (self.suspects.len() / (parts * SAMPLES)).max(1);
        let mut sample: Vec<_> = self.suspects.keys().step_by(step).collect();
        sample.sort_unstable();
        (1..parts).filter_map(|part| sample.get(sample.len() * part / parts).copied().cloned()).collect()
    }

    pub(super) fn needs_event(&self, id: &Id, event_ids_unique: bool) -> bool {
        let known = self.suspects.get(id).filter(|seen| !seen.is_short()).and_then(Seen::event);
        !(event_ids_unique && known.is_some_and(|event| event.state == State::Acked && event.rows == 1))
    }

    /// Keeps `acked` true to what an event is known to be now.
    pub(super) fn move_acked(&mut self, before: Option<&Facts>, now: Option<&Facts>, rules: &FlowRules) {
        let window = |facts: Option<&Facts>| {
            let facts = facts.filter(|facts| facts.state == State::Acked)?;
            position(&rules.windows, facts.placed()?)
        };
        let (from, to) = (window(before), window(now));
        if from == to {
            return;
        }
        if let Some(place) = from {
            self.windows[place].acked = self.windows[place].acked.saturating_sub(1);
        }
        if let Some(place) = to {
            self.windows[place].acked += 1;
        }
    }

    /// Two events that were counted are one.
    fn merge_acked(&mut self, one: &Facts, other: &Facts, now: &Facts, rules: &FlowRules) {
        self.move_acked(Some(one), None, rules);
        self.move_acked(Some(other), Some(now), rules);
    }

    /// Enters a message in the books under its kind, if it has one here; gives the kind.
    pub(super) fn enter(
        &mut self,
        id: &Id,
        delivery: &Delivery,
        rules: &FlowRules,
        findings: &mut Findings,
    ) -> Option<Kind> {
        let consumer = &rules.consumers[self.place];
        let kind = at_consumer(delivery, rules, consumer)?;
        let at = home_time(delivery)?;
        let place = position(&rules.windows, at)?;
        self.windows[place].add(kind, delivery.receipts);
        self.measure(kind, delivery);
        if kind.is_difference() {
            self.remember_moment(kind, delivery);
            findings.push(difference(id, kind, delivery, rules, consumer));
        }
        Some(kind)
    }

    fn measure(&mut self, kind: Kind, delivery: &Delivery) {
        let acked = delivery.event.and_then(|event| event.acked);
        if let (Kind::Ok | Kind::Late, Some(acked), Some(first)) = (kind, acked, delivery.first) {
            self.measured = true;
            self.latency.record(first.since(acked));
        }
    }

    fn remember_moment(&mut self, kind: Kind, delivery: &Delivery) {
        let moments = self.moments.entry(kind).or_default();
        let at = delivery.last.or(delivery.first).or_else(|| home_time(delivery));
        if let Some(at) = at.filter(|_| moments.len() < CLUSTER_MAX) {
            moments.push(at);
        }
    }
}

/// An open dead letter outranks a closed one; of equal ones the earlier stays, in whatever order they come.
pub(super) fn stronger(known: Option<Dead>, new: Dead) -> Dead {
    fn rank(dead: &Dead) -> (bool, Micros, Option<&str>) {
        (dead.closed, dead.at.unwrap_or(Micros(i64::MAX)), dead.reason.as_deref())
    }
    match known {
        Some(known) if rank(&known) <= rank(&new) => known,
        _ => new,
    }
}

/// What assigns the window: the event's own time. Only where there is no event, the first trace at the consumer.
pub(super) fn home_time(delivery: &Delivery) -> Option<Micros> {
    match &delivery.event {
        Some(event) => event.placed(),
        None => delivery.first.or_else(|| delivery.dead.as_ref()?.at),
    }
}

fn difference(
    id: &Id,
    kind: Kind,
    delivery: &Delivery,
    rules: &FlowRules,
    consumer: &ConsumerRules,
) -> Difference {
    let at = home_time(delivery);
    let facts =
        delivery.event.unwrap_or(Facts { state: State::Unknown, acked: None, created: None, rows: 0 });
    Difference {
        window_from: at.and_then(|at| rules.window_from(at)),
        consumed_at: delivery.first,
        age: at.map(|at| rules.as_of.since(at)),
        detail: detail(kind, delivery),
        ..rules.event_difference(Some(&consumer.name), kind, id, &facts)
    }
}

/// The evidence in a few words.
fn detail(kind: Kind, delivery: &Delivery) -> String {
    let mut words = Vec::new();
    if delivery.receipts > 1 {
        words.push(format!("{} receipts", delivery.receipts));
        if let (Some(first), Some(last)) = (delivery.first, delivery.last) {
            words.push(format!("the last {} after the first", human(last.since(first))));
        }
    }
    if let Some(event) = &delivery.event {
        if event.rows > 1 {
            words.push(format!("{} event rows", event.rows));
        }
        if event.state == State::Acked && event.acked.is_none() {
            words.push("acked without an ack time".to_owned());
        }
        if let (Kind::Late, Some(acked), Some(first)) = (kind, event.acked, delivery.first) {
            words.push(format!("consumed {} after the ack", human(first.since(acked))));
        }
        if kind == Kind::AckLost {
            words.push(format!("the event table says {}", super::state_name(event.state)));
        }
    }
    words.extend(dead_words(kind, delivery));
    words.join("; ")
}

fn dead_words(kind: Kind, delivery: &Delivery) -> Option<String> {
    let dead = delivery.dead.as_ref()?;
    let reason = dead.reason.as_ref().map_or_else(String::new, |reason| format!(": {reason}"));
    match (kind, dead.closed) {
        (Kind::Orphan, false) if delivery.receipts == 0 => {
            Some(format!("a dead letter without an event{reason}"))
        }
        (_, false) if delivery.receipts > 0 => Some(format!("its dead letter is still open{reason}")),
        (Kind::DeadLettered, _) => Some(format!("dead letter{reason}")),
        _ => None,
    }
}
