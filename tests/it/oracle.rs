//! The naive oracle: given every fact, the kind of every message at every consumer, by the words of the kinds table.
//! It knows nothing of slices, pairs, suspects or look-ups, and loops over all facts for each id.

use crate::pipeline::Pipeline;
use msgrecon::model::event::Stamp;
use msgrecon::model::time::DAY;
use msgrecon::model::{Event, Id, Kind, Micros, State};
use std::collections::BTreeSet;

/// What became of one message at one consumer, or at the producer alone.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Verdict {
    /// `None`: the producer alone.
    pub consumer: Option<usize>,
    pub id: Option<Id>,
    pub kind: Kind,
    /// The instant that assigns the window; `None` where the message belongs to none.
    pub placed: Option<Micros>,
    /// Receipts of the message.
    pub records: u64,
}

/// Everything that there is to say of a pipeline.
#[derive(Debug, Default)]
pub struct Truth {
    pub verdicts: Vec<Verdict>,
    /// Acked messages of the range.
    pub acked: u64,
    /// Messages that are not acked although a consumer has them.
    pub ack_lost: u64,
    /// Messages of a state that no rule names.
    pub unknown: u64,
    /// Rows of the range that name no message.
    pub without_id: u64,
}

pub fn truth(pipeline: &Pipeline) -> Truth {
    let mut truth = Truth::default();
    for consumer in 0..pipeline.rules.consumers.len() {
        for id in ids(pipeline) {
            truth.verdicts.extend(at_consumer(pipeline, consumer, &id));
        }
    }
    for id in ids(pipeline) {
        at_producer(pipeline, &id, &mut truth);
    }
    let rows = || pipeline.events.iter().filter(|row| row.in_flow);
    let in_range = |row: &Event| placed(pipeline, row).is_some_and(|at| pipeline.rules.span.contains(at));
    truth.without_id = rows().filter(|row| row.id.is_none() && in_range(row)).count() as u64;
    let lost = rows().filter(|row| placed(pipeline, row).is_none() && is_read(pipeline, row));
    truth.verdicts.extend(lost.map(|row| Verdict {
        consumer: None,
        id: row.id.clone(),
        kind: Kind::Unattributable,
        placed: None,
        records: 0,
    }));
    truth.verdicts.sort();
    truth
}

/// Every id that anybody names.
fn ids(pipeline: &Pipeline) -> BTreeSet<Id> {
    let events = pipeline.events.iter().filter_map(|row| row.id.clone());
    let receipts = pipeline.receipts.iter().filter_map(|(_, row)| row.id.clone());
    let dead = pipeline.dead_letters.iter().filter_map(|(_, row)| row.id.clone());
    events.chain(receipts).chain(dead).collect()
}

/// Not before 1971, not later than a day after the as-of.
pub fn usable(pipeline: &Pipeline, stamp: Stamp) -> Option<Micros> {
    stamp.at().filter(|at| Micros::EARLIEST_USABLE <= *at && *at <= pipeline.rules.as_of.plus(DAY))
}

/// The ack time, without one the creation time.
pub fn placed(pipeline: &Pipeline, row: &Event) -> Option<Micros> {
    if row.acked == Stamp::None { usable(pipeline, row.created) } else { usable(pipeline, row.acked) }
}

/// A row is read in the slice of its ack, else of its creation; without any usable time every run reads it.
pub fn is_read(pipeline: &Pipeline, row: &Event) -> bool {
    let at = usable(pipeline, row.acked).or(usable(pipeline, row.created));
    at.is_none_or(|at| pipeline.rules.span.contains(at))
}

/// A message is its best state; it belongs where the earliest row in that state lies within the range (of two at one
/// instant, the one that was written first).
fn home<'e>(pipeline: &Pipeline, rows: &[&'e Event]) -> Option<(&'e Event, Micros)> {
    let best = rows.iter().map(|row| row.state).max()?;
    let at_best = rows.iter().filter(|row| row.state == best);
    let dated = at_best.filter_map(|row| Some((*row, placed(pipeline, row)?)));
    let here = dated.filter(|(_, at)| pipeline.rules.span.contains(*at));
    here.min_by_key(|(row, at)| (*at, usable(pipeline, row.created)))
}

fn rows_of<'p>(pipeline: &'p Pipeline, id: &Id) -> Vec<&'p Event> {
    pipeline.events.iter().filter(|row| row.id.as_ref() == Some(id)).collect()
}

/// A row without a usable time is owed at all times.
fn owed(pipeline: &Pipeline, consumer: usize, row: &Event) -> bool {
    let rules = &pipeline.rules.consumers[consumer];
    let in_time = placed(pipeline, row).is_none_or(|at| {
        rules.since.is_none_or(|since| since <= at) && rules.until.is_none_or(|until| at < until)
    });
    row.in_flow && row.expected_by >> consumer & 1 == 1 && in_time
}

fn at_consumer(pipeline: &Pipeline, place: usize, id: &Id) -> Option<Verdict> {
    let rows = rows_of(pipeline, id);
    if rows.is_empty() {
        return orphan(pipeline, place, id);
    }
    let rows: Vec<_> = rows.into_iter().filter(|row| owed(pipeline, place, row)).collect();
    let (event, placed) = home(pipeline, &rows)?;
    let consumed = pipeline.consumed(place, id);
    let kind = match (event.state, consumed.len()) {
        (State::Acked, 0) => unconsumed(pipeline, place, id, placed),
        (State::Acked, 1) => {
            let acked = usable(pipeline, event.acked);
            let late = pipeline.rules.late_after.zip(acked).zip(usable(pipeline, consumed[0]));
            let late = late.is_some_and(|((limit, acked), at)| at.since(acked) > limit);
            if late { Kind::Late } else { Kind::Ok }
        }
        (State::Acked, _) => Kind::Duplicate,
        (State::Pending | State::Failed, 1..) if acked_out_of_sight(pipeline, &consumed) => return None,
        (State::Pending | State::Failed, 1..) => Kind::AckLost,
        _ => return None,
    };
    Some(Verdict {
        consumer: Some(place),
        id: Some(id.clone()),
        kind,
        placed: Some(placed),
        records: consumed.len() as u64,
    })
}

fn unconsumed(pipeline: &Pipeline, place: usize, id: &Id, placed: Micros) -> Kind {
    let rules = &pipeline.rules;
    let parked = pipeline.parked(place, id);
    if parked.iter().any(|letter| !letter.closed) {
        return Kind::DeadLettered;
    }
    if !parked.is_empty() {
        return Kind::Discarded;
    }
    let consumer = &rules.consumers[place];
    let age = rules.as_of.since(placed);
    let seen_until = consumer.fresh_until.unwrap_or(rules.as_of).min(rules.as_of);
    if age < rules.grace {
        Kind::InFlight
    } else if consumer.retention.is_some_and(|kept| age > kept) || seen_until.since(placed) < rules.grace {
        Kind::Unverifiable
    } else {
        Kind::Missing
    }
}

/// Belongs where its first receipt lies; without a dated one, where its first dead letter does.
fn orphan(pipeline: &Pipeline, place: usize, id: &Id) -> Option<Verdict> {
    if pipeline.rules.rows_vanish {
        return None;
    }
    let consumed = pipeline.consumed(place, id);
    let parked = pipeline.parked(place, id);
    let dead = |closed: bool| {
        let letters = parked.iter().filter(|letter| letter.closed == closed);
        letters.map(|letter| usable(pipeline, letter.dead)).min_by_key(|at| at.unwrap_or(Micros(i64::MAX)))
    };
    let by_receipt = consumed.iter().filter_map(|stamp| usable(pipeline, *stamp)).min();
    let first = match (dead(false), dead(true)) {
        (Some(open), _) => by_receipt.or(open),
        (None, closed) if !consumed.is_empty() => by_receipt.or(closed.flatten()),
        _ => None,
    }?;
    let seen = pipeline.rules.events_fresh_until.is_none_or(|fresh| first < fresh);
    (seen && pipeline.rules.span.contains(first)).then(|| Verdict {
        consumer: Some(place),
        id: Some(id.clone()),
        kind: Kind::Orphan,
        placed: Some(first),
        records: consumed.len() as u64,
    })
}

/// Consumed after the event table's data end: the ack may only not be visible yet.
fn acked_out_of_sight(pipeline: &Pipeline, consumed: &[Stamp]) -> bool {
    let first = consumed.iter().filter_map(|stamp| usable(pipeline, *stamp)).min();
    pipeline.rules.events_fresh_until.zip(first).is_some_and(|(fresh, first)| first >= fresh)
}

fn at_producer(pipeline: &Pipeline, id: &Id, truth: &mut Truth) {
    let rows: Vec<_> = rows_of(pipeline, id).into_iter().filter(|row| row.in_flow).collect();
    let Some((event, placed)) = home(pipeline, &rows) else { return };
    let lost = |verdict: &Verdict| verdict.kind == Kind::AckLost && verdict.id.as_ref() == Some(id);
    let delivered = truth.verdicts.iter().any(lost);
    let created = usable(pipeline, event.created).unwrap_or(placed);
    let rules = &pipeline.rules;
    let seen_until = rules.events_fresh_until.unwrap_or(rules.as_of).min(rules.as_of);
    let kind = match event.state {
        State::Acked => return truth.acked += 1,
        State::Unknown => return truth.unknown += 1,
        _ if delivered => return truth.ack_lost += 1,
        State::Failed => Kind::PublishFailed,
        State::Pending if seen_until.since(created) >= rules.stuck_after => Kind::Stuck,
        State::Pending => Kind::Pending,
    };
    truth.verdicts.push(Verdict {
        consumer: None,
        id: Some(id.clone()),
        kind,
        placed: Some(placed),
        records: 0,
    });
}
