//! Looking again at messages that differed before, by id alone: what still differs is found anew, what does not is
//! healed, and the look-ups say why.

use super::{Answers, FlowBook, decide};
use crate::classify::Facts;
use crate::model::{Difference, Event, Id, Kind, Micros, State};
use crate::pair::Seen;
use crate::plan::{ConsumerRules, FlowRules};
use hashbrown::{HashMap, HashSet};

/// What look-ups said of one message at one consumer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sight {
    /// The message.
    pub id: Id,
    /// What it is there; `None` where this consumer has nothing to say of it.
    pub kind: Option<Kind>,
    /// The event table knows it, and this consumer need not see it.
    pub elsewhere: bool,
    /// What the event table says.
    pub event: Option<Facts>,
    /// Receipt rows.
    pub receipts: u64,
    /// The first of them.
    pub first: Option<Micros>,
}

/// What became of messages that were looked up again.
#[derive(Debug)]
pub struct Checked {
    /// What differs.
    pub found: Vec<Difference>,
    rules: FlowRules,
    /// Messages that differ at the producer alone.
    waiting: HashSet<Id>,
    /// By consumer, then id; `None`: the consumer could not be read.
    sights: Vec<Option<HashMap<Id, Sight>>>,
    events: HashMap<Id, Vec<Event>>,
}

impl FlowBook {
    /// Judges these messages anew by what look-ups of exactly these ids gave: the event table's rows, and each
    /// consumer's answers (`None` where it could not be read). `self` must be fresh, and its range all of time.
    #[must_use]
    pub fn check(mut self, ids: &[Id], events: Vec<Event>, answers: Vec<Option<Answers>>) -> Checked {
        for (place, answers) in answers.into_iter().enumerate() {
            match (&mut self.consumers[place], answers) {
                (Some(book), Some(answers)) => {
                    book.sights = Some(Vec::new());
                    book.suspects.extend(ids.iter().map(|id| (id.clone(), Seen::NOTHING)));
                    self.decide(place, ids, Answers { events: events.clone(), ..answers });
                }
                _ => self.lose(place),
            }
        }
        let by_id = decide::by_id(events.clone(), |row| row.id.clone());
        for (id, rows) in &by_id {
            rows.iter().for_each(|row| self.check_producer(id, row));
        }
        self.recall_own();
        self.own.close(false);
        self.open_own(None);
        let open = self.open_events();
        self.decide_open(&open, events);
        let sights = self.consumers.iter_mut().map(|book| {
            let sights = book.as_mut()?.sights.take()?;
            Some(sights.into_iter().map(|sight| (sight.id.clone(), sight)).collect())
        });
        let sights = sights.collect();
        let found = self.take_found();
        let waiting = found.iter().filter(|one| one.consumer.is_none()).filter_map(|one| one.id.clone());
        Checked { waiting: waiting.collect(), found, sights, events: by_id, rules: self.rules }
    }

    /// The producer's own side of a row: as while reading, without the consumers.
    fn check_producer(&mut self, id: &Id, row: &Event) {
        let Some(placed) = row.placed() else { return self.unattributable(row) };
        if row.in_flow && self.rules.span.contains(placed) {
            let facts = Facts { state: row.state, acked: row.acked.at(), created: row.created.at(), rows: 1 };
            self.note(id, facts, false);
        }
    }
}

impl Checked {
    /// The first consumer that could not be read.
    #[must_use]
    pub fn unread(&self) -> Option<&str> {
        let place = self.sights.iter().position(Option::is_none)?;
        Some(&self.rules.consumers[place].name)
    }

    /// Why a message that was a difference is none any more, and whether it is given up; `None` where it still is one, or
    /// where this cannot be told now, so that it stays open.
    #[must_use]
    pub fn heal(&self, consumer: Option<&str>, id: &Id, was: Kind) -> Option<(String, bool)> {
        let Some(name) = consumer else {
            return if self.waiting.contains(id) { None } else { self.heal_producer(id, was) };
        };
        let Some(place) = self.rules.consumers.iter().position(|rules| rules.name == name) else {
            return Some(("the consumer is not configured any more".to_owned(), true));
        };
        let sight = self.sights[place].as_ref()?.get(id)?;
        self.heal_consumer(sight, was, &self.rules.consumers[place])
    }

    /// What assigns the window of a message by what the event table says now.
    #[must_use]
    pub fn home(&self, id: &Id) -> Option<Micros> {
        decide::home(self.events.get(id)?.iter(), self.rules.span)?.placed()
    }

    fn heal_consumer(&self, sight: &Sight, was: Kind, rules: &ConsumerRules) -> Option<(String, bool)> {
        let acked =
            sight.event.and_then(|event| event.acked).map_or_else(String::new, |at| format!(" at {at}"));
        let consumed = sight.first.map_or_else(String::new, |at| format!(" at {at}"));
        let healed = |text: String| Some((text, false));
        match sight.kind {
            Some(Kind::Ok) => match was {
                Kind::Duplicate => healed("one receipt is left".to_owned()),
                Kind::AckLost => healed(format!("acked{acked}")),
                Kind::Orphan => healed(format!("its event is there, acked{acked}")),
                _ => healed(format!("consumed{consumed}")),
            },
            Some(Kind::Discarded) => healed("its dead letter was closed".to_owned()),
            Some(Kind::InFlight) => healed(format!("sent again, acked{acked}")),
            Some(Kind::Unverifiable) => self
                .is_past_retention(sight.event.and_then(|event| event.placed()), rules)
                .then(|| ("receipts of its age may be purged".to_owned(), true)),
            Some(_) => None,
            None => self.heal_unknown(sight, was, rules),
        }
    }

    fn heal_unknown(&self, sight: &Sight, was: Kind, consumer: &ConsumerRules) -> Option<(String, bool)> {
        if sight.elsewhere {
            return Some(("this consumer need not see it any more".to_owned(), false));
        }
        match sight.event.map(|event| event.state) {
            Some(State::Pending) => Some(("its event is pending again".to_owned(), false)),
            Some(State::Failed) => Some(("its event is failed: see the producer".to_owned(), false)),
            Some(State::Acked | State::Unknown) => None,
            None if was == Kind::Orphan && sight.receipts > 0 => None,
            None if was == Kind::Orphan => {
                let purged = self.is_past_retention(sight.first, consumer) || consumer.retention.is_some();
                Some(("its receipt or dead letter is gone".to_owned(), purged))
            }
            None => Some(("its event row is gone".to_owned(), true)),
        }
    }

    fn is_past_retention(&self, at: Option<Micros>, consumer: &ConsumerRules) -> bool {
        consumer.retention.zip(at).is_some_and(|(kept, at)| self.rules.as_of.since(at) > kept)
    }

    fn heal_producer(&self, id: &Id, was: Kind) -> Option<(String, bool)> {
        let own = self.events.get(id).into_iter().flatten().filter(|row| row.in_flow);
        let best = own.max_by_key(|row| row.state);
        let Some(row) = best else {
            let sent = self.rules.rows_vanish && was != Kind::Unattributable;
            let text = if sent { "sent: its row is gone" } else { "its event row is gone" };
            return Some((text.to_owned(), !sent));
        };
        match row.state {
            State::Unknown => None,
            _ if was == Kind::Unattributable => Some(("its times are usable now".to_owned(), false)),
            State::Acked => {
                let at = row.acked.at().map_or_else(String::new, |at| format!(" at {at}"));
                Some((format!("acked{at}"), false))
            }
            State::Pending | State::Failed if self.is_delivered(id) => {
                Some(("delivered, and its ack was lost: see the consumer".to_owned(), false))
            }
            State::Pending => Some(("pending again, and younger".to_owned(), false)),
            State::Failed => None,
        }
    }

    fn is_delivered(&self, id: &Id) -> bool {
        let sights = self.sights.iter().flatten().filter_map(|sights| sights.get(id));
        sights.into_iter().any(|sight| sight.kind == Some(Kind::AckLost))
    }
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use crate::model::event::Stamp;
    use crate::model::time::{DAY, HOUR, MINUTE};
    use crate::model::{Receipt, Span, Window};

    const ACKED: Micros = Micros(400 * DAY);

    pub(in crate::book) fn rules() -> FlowRules {
        let consumer = ConsumerRules {
            name: "points".to_owned(),
            source: "points".to_owned(),
            since: None,
            until: None,
            retention: None,
            receipt_ids_unique: false,
            selective: false,
            receipts_dated: true,
            fresh_until: None,
        };
        let span = Span::new(Micros(0), ACKED.plus(9 * DAY));
        FlowRules {
            memory: crate::model::memory::DEFAULT,
            name: "orders".to_owned(),
            as_of: ACKED.plus(8 * DAY),
            span,
            windows: vec![Window(span)],
            grace: 15 * MINUTE,
            late_after: Some(HOUR),
            stuck_after: 10 * MINUTE,
            rows_vanish: false,
            event_ids_unique: true,
            events_source: "orders".to_owned(),
            events_fresh_until: None,
            consumers: vec![consumer],
        }
    }

    /// An acked message that was consumed so many hours after its ack, looked up again.
    fn checked(hours: &[i64]) -> Checked {
        let id = Id::from_text("m1");
        let event = Event {
            id: Some(id.clone()),
            state: State::Acked,
            created: Stamp::At(ACKED),
            acked: Stamp::At(ACKED),
            expected_by: 1,
            in_flow: true,
            attempts: None,
        };
        let receipts = hours
            .iter()
            .map(|hours| Receipt { id: Some(id.clone()), consumed: Stamp::At(ACKED.plus(hours * HOUR)) });
        let answers = Answers { receipts: receipts.collect(), ..Answers::default() };
        FlowBook::streamed(rules()).check(&[id], vec![event], vec![Some(answers)])
    }

    #[test]
    fn what_arrived_since_is_told_by_the_look_up_alone() {
        let healed = |hours: &[i64], was| checked(hours).heal(Some("points"), &Id::from_text("m1"), was);
        let kinds = |hours: &[i64]| checked(hours).found.iter().map(|one| one.kind).collect::<Vec<_>>();
        assert_eq!((kinds(&[]), healed(&[], Kind::Missing)), (vec![Kind::Missing], None));
        let (evidence, expired) = healed(&[0], Kind::Missing).unwrap();
        assert!(evidence.starts_with("consumed at") && !expired, "{evidence}");
        assert_eq!((kinds(&[0]), kinds(&[3])), (vec![], vec![Kind::Late]));
        assert_eq!((kinds(&[0, 3]), healed(&[0, 3], Kind::Duplicate)), (vec![Kind::Duplicate], None));
        assert_eq!(healed(&[0], Kind::Duplicate).unwrap().0, "one receipt is left");
    }
}
