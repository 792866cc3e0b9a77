//! Runs a pipeline through the books in memory, as the program does with databases: read what lies in the range, look
//! up what does not pair, close.

use crate::oracle::{is_read, placed, usable};
use crate::pipeline::Pipeline;
use crate::rng::Rng;
use msgrecon::book::{Answers, Finished, FlowBook};
use msgrecon::model::event::Stamp;
use msgrecon::model::time::{DAY, MINUTE};
use msgrecon::model::{Bulk, DeadLetter, Event, Id, Receipt, ShortEvents, Span, State};
use std::collections::BTreeSet;

/// More than any pipeline has.
const LISTED_MAX: usize = 100_000;

/// What may differ from run to run and must not matter.
#[derive(Clone, Debug)]
#[expect(clippy::struct_excessive_bools, reason = "each is a choice of its own")]
pub struct How {
    /// Orders the facts and sizes the batches.
    pub seed: u64,
    pub event_ids_unique: bool,
    pub receipt_ids_unique: Vec<bool>,
    /// Acked events and dated receipts come in the short form.
    pub short: bool,
    /// So little memory that nearly nothing is held.
    pub cramped: bool,
    /// Some rows were read as pending before they were acked, or (where rows vanish) before they were gone.
    pub stale: bool,
    /// Event rows that were not there yet when their slice was read, by place.
    pub unseen: BTreeSet<usize>,
    /// A consumer that could not be read, and when that was noticed.
    pub lost: Option<(usize, When)>,
}

/// A point of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum When {
    Opening,
    Reading,
    LookingUp,
}

/// What came of it, and which rows the books took in.
#[derive(Debug)]
pub struct Driven {
    pub finished: Finished,
    /// Receipts with an id, by consumer.
    pub receipts_read: Vec<u64>,
    /// Receipts without one, by consumer.
    pub receipts_nameless: Vec<u64>,
    /// Dead letters without an id, by consumer.
    pub dead_nameless: Vec<u64>,
}

impl How {
    /// Chooses at random; ids are said to be unique only where they are.
    pub fn choose(pipeline: &Pipeline, seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let consumers = 0..pipeline.rules.consumers.len();
        Self {
            seed,
            event_ids_unique: rng.chance(50) && pipeline.event_ids_unique(),
            receipt_ids_unique: consumers
                .map(|place| rng.chance(50) && pipeline.receipt_ids_unique(place))
                .collect(),
            short: rng.chance(50),
            cramped: rng.chance(30),
            stale: rng.chance(20),
            unseen: BTreeSet::new(),
            lost: None,
        }
    }

    fn lose(&self, book: &mut FlowBook, now: When) {
        self.lost.into_iter().filter(|(_, when)| *when == now).for_each(|(place, _)| book.lose(place));
    }
}

enum Fact<'p> {
    Event(Event),
    Receipt(usize, &'p Receipt),
    Dead(usize, &'p DeadLetter),
}

/// Runs the pipeline.
pub fn drive(pipeline: &Pipeline, how: &How) -> Driven {
    let mut rng = Rng::new(how.seed.wrapping_add(1));
    let mut rules = pipeline.rules.clone();
    rules.event_ids_unique = how.event_ids_unique;
    for (consumer, unique) in rules.consumers.iter_mut().zip(&how.receipt_ids_unique) {
        consumer.receipt_ids_unique = *unique;
    }
    rules.memory = if how.cramped { 1 } else { rules.memory };
    let mut book = FlowBook::new(rules, LISTED_MAX);
    how.lose(&mut book, When::Opening);
    let read = as_read(pipeline);
    let pipeline = &read;
    let stale = if how.stale { stale(pipeline, &mut rng) } else { Stale::default() };
    stale.rows.iter().for_each(|row| book.event(row));
    let unseen = how.unseen.union(&stale.instead).copied().collect();
    let mut facts = facts_in_reach(pipeline, how, &unseen);
    rng.shuffle(&mut facts);
    let mut seen = Seen::new(pipeline);
    facts.iter().for_each(|fact| seen.note(pipeline, fact));
    while !facts.is_empty() {
        let slice: Vec<_> = facts.drain(..facts.len().min(1 + rng.below(40))).collect();
        let rest = if how.short { short(pipeline, &mut book, slice, &mut rng) } else { slice };
        for fact in rest {
            match fact {
                Fact::Event(row) => book.event(&row),
                Fact::Receipt(place, row) => book.receipt(place, row.clone()),
                Fact::Dead(place, row) => book.dead_letter(place, row.clone()),
            }
        }
    }
    how.lose(&mut book, When::Reading);
    book.close_reading();
    let mut last: Option<Id> = None;
    for part in 0..book.parts() {
        if part > 0 {
            book.open_part(part);
        }
        let held = (0..pipeline.rules.consumers.len()).map(|place| book.suspects(place));
        let ids: BTreeSet<_> = held.chain([book.open_events()]).flatten().collect();
        assert!(last.is_none() || ids.first().is_none_or(|id| Some(id) > last.as_ref()), "parts overlap");
        last = ids.last().cloned().or(last);
        look_up(pipeline, how, &mut book, &mut rng, &mut seen);
    }
    seen.finish(pipeline, book.finish())
}

/// Hands over what can have the short form in it, most of it; gives the rest.
fn short<'p>(pipeline: &Pipeline, book: &mut FlowBook, slice: Vec<Fact<'p>>, rng: &mut Rng) -> Vec<Fact<'p>> {
    let mut events: Vec<ShortEvents> = Vec::new();
    let mut receipts = vec![Bulk::default(); pipeline.rules.consumers.len()];
    let mut rest = Vec::new();
    for fact in slice {
        let taken = match &fact {
            Fact::Event(row) => row.state == State::Acked && short_event(&mut events, row),
            Fact::Receipt(place, row) => match (&row.id, row.consumed) {
                (Some(id), Stamp::At(at)) if rng.chance(90) => receipts[*place].push_id(id, at),
                _ => false,
            },
            Fact::Dead(..) => false,
        };
        rest.extend((!taken).then_some(fact));
    }
    book.slice(events, &receipts);
    rest
}

fn short_event(events: &mut Vec<ShortEvents>, row: &Event) -> bool {
    let (Some(id), Stamp::At(at)) = (&row.id, row.acked) else { return false };
    let same = events.iter().position(|group| group.expected_by == row.expected_by);
    let place = same.unwrap_or_else(|| {
        let rows = Bulk::default();
        events.push(ShortEvents { rows, expected_by: row.expected_by, created_unread: true });
        events.len() - 1
    });
    events[place].rows.push_id(id, at)
}

/// The facts as their readers hand them over: a time that no message can have is unusable.
fn as_read(pipeline: &Pipeline) -> Pipeline {
    let mut read = pipeline.clone();
    let decode = |stamp: &mut Stamp| {
        if stamp.at().is_some() && usable(pipeline, *stamp).is_none() {
            *stamp = Stamp::Unusable;
        }
    };
    for row in &mut read.events {
        decode(&mut row.created);
        decode(&mut row.acked);
    }
    read.receipts.iter_mut().for_each(|(_, row)| decode(&mut row.consumed));
    read.dead_letters.iter_mut().for_each(|(_, row)| decode(&mut row.dead));
    read
}

/// What the first pass reads: events of the range and those without a usable time; receipts near it and those without a
/// usable time; dead letters near it.
fn facts_in_reach<'p>(pipeline: &'p Pipeline, how: &How, unseen: &BTreeSet<usize>) -> Vec<Fact<'p>> {
    let mut facts = Vec::new();
    for (nr, row) in pipeline.events.iter().enumerate() {
        if is_read(pipeline, row) && row.in_flow && !unseen.contains(&nr) {
            facts.push(Fact::Event(row.clone()));
        }
    }
    let consumers = pipeline.rules.consumers.len();
    for (place, row) in pipeline.receipts.iter().filter(|(place, _)| *place < consumers) {
        let dated = row.consumed.at().is_some();
        if !dated || in_reach(pipeline, how, *place, row.consumed) {
            facts.push(Fact::Receipt(*place, row));
        }
    }
    for (place, row) in &pipeline.dead_letters {
        if in_reach(pipeline, how, *place, row.dead) {
            facts.push(Fact::Dead(*place, row));
        }
    }
    facts
}

fn in_reach(pipeline: &Pipeline, how: &How, place: usize, stamp: Stamp) -> bool {
    let rules = &pipeline.rules;
    let near = rules.span.widened(10 * MINUTE, rules.grace.max(10 * MINUTE));
    let far = Span::new(near.from, rules.as_of.plus(DAY));
    let reach = if how.receipt_ids_unique[place] { near } else { far };
    stamp.at().is_some_and(|at| reach.contains(at))
}

/// Rows as they stood before their ack, or before they were gone.
#[derive(Default)]
struct Stale {
    rows: Vec<Event>,
    /// Rows that were read only as they stood before: they were acked behind the reader's back.
    instead: BTreeSet<usize>,
}

fn stale(pipeline: &Pipeline, rng: &mut Rng) -> Stale {
    let mut stale = Stale { rows: vanished(pipeline), instead: BTreeSet::new() };
    for (nr, row) in pipeline.events.iter().enumerate() {
        let before = Event { state: State::Pending, acked: Stamp::None, ..row.clone() };
        let (Some(created), Some(acked)) = (placed(pipeline, &before), row.acked.at()) else { continue };
        let sent = row.state == State::Acked && row.id.is_some() && row.in_flow;
        if !(sent && pipeline.rules.span.contains(created) && rng.chance(30)) {
            continue;
        }
        let mut consumers = pipeline.rules.consumers.iter();
        let alike = consumers.all(|consumer| consumer.owes(created) == consumer.owes(acked));
        if alike && rng.chance(50) {
            stale.instead.insert(nr);
        }
        stale.rows.push(before);
    }
    stale
}

/// Rows that were pending when they were read, and sent and deleted since.
fn vanished(pipeline: &Pipeline) -> Vec<Event> {
    let rules = &pipeline.rules;
    let ids: BTreeSet<_> = pipeline.receipts.iter().filter_map(|(_, row)| row.id.clone()).collect();
    let gone = ids.into_iter().filter(|id| !pipeline.events.iter().any(|row| row.id.as_ref() == Some(id)));
    let pending = |id| Event {
        id: Some(id),
        state: State::Pending,
        created: Stamp::At(rules.span.from),
        acked: Stamp::None,
        expected_by: u64::MAX,
        in_flow: true,
        attempts: None,
    };
    gone.filter(|_| rules.rows_vanish).map(pending).collect()
}

fn look_up(pipeline: &Pipeline, how: &How, book: &mut FlowBook, rng: &mut Rng, seen: &mut Seen) {
    for place in 0..pipeline.rules.consumers.len() {
        let suspects = book.suspects(place);
        for ids in suspects.chunks(1 + rng.below(9)) {
            seen.asked[place].extend(ids.iter().cloned());
            let asked: Vec<_> = ids.iter().filter(|id| book.needs_event(place, id)).cloned().collect();
            let answers = Answers {
                events: events_of(pipeline, &asked, rng),
                receipts: of(&pipeline.receipts, place, |row| row.id.as_ref(), ids, rng),
                dead_letters: of(&pipeline.dead_letters, place, |row| row.id.as_ref(), ids, rng),
            };
            book.decide(place, ids, answers);
        }
        if how.lost.is_some_and(|(lost, _)| lost == place) {
            how.lose(book, When::LookingUp);
        }
        assert!(book.suspects(place).is_empty(), "a suspect stays after it was decided");
    }
    for ids in book.open_events().chunks(1 + rng.below(9)) {
        book.decide_open(ids, events_of(pipeline, ids, rng));
    }
}

fn events_of(pipeline: &Pipeline, ids: &[Id], rng: &mut Rng) -> Vec<Event> {
    let asked = |row: &&Event| row.id.as_ref().is_some_and(|id| ids.contains(id));
    let mut rows: Vec<_> = pipeline.events.iter().filter(asked).cloned().collect();
    rng.shuffle(&mut rows);
    rows
}

fn of<T: Clone>(
    rows: &[(usize, T)],
    place: usize,
    id: impl Fn(&T) -> Option<&Id>,
    ids: &[Id],
    rng: &mut Rng,
) -> Vec<T> {
    let asked = |row: &T| id(row).is_some_and(|id| ids.contains(id));
    let own = rows.iter().filter(|(owner, row)| *owner == place && asked(row));
    let mut rows: Vec<_> = own.map(|(_, row)| row.clone()).collect();
    rng.shuffle(&mut rows);
    rows
}

/// Which rows the books were given, each once.
struct Seen {
    /// Receipts of the first pass by consumer and address.
    receipts: Vec<BTreeSet<*const Receipt>>,
    dead_nameless: Vec<u64>,
    asked: Vec<BTreeSet<Id>>,
}

impl Seen {
    fn new(pipeline: &Pipeline) -> Self {
        let consumers = pipeline.rules.consumers.len();
        Self {
            receipts: vec![BTreeSet::new(); consumers],
            dead_nameless: vec![0; consumers],
            asked: vec![BTreeSet::new(); consumers],
        }
    }

    fn note(&mut self, pipeline: &Pipeline, fact: &Fact) {
        match fact {
            Fact::Event(_) => {}
            Fact::Receipt(place, row) => {
                self.receipts[*place].insert(std::ptr::from_ref(*row));
            }
            Fact::Dead(place, row) => {
                self.dead_nameless[*place] += u64::from(row.id.is_none() && concerns(pipeline, row.dead));
            }
        }
    }

    fn finish(self, pipeline: &Pipeline, finished: Finished) -> Driven {
        let consumers = pipeline.rules.consumers.len();
        let (mut receipts_read, mut receipts_nameless) = (vec![0; consumers], vec![0; consumers]);
        for (place, row) in pipeline.receipts.iter().filter(|(place, _)| *place < consumers) {
            let read = self.receipts[*place].contains(&std::ptr::from_ref(row));
            match &row.id {
                None => receipts_nameless[*place] += u64::from(read && concerns(pipeline, row.consumed)),
                Some(id) => {
                    receipts_read[*place] += u64::from(read || self.asked[*place].contains(id));
                }
            }
        }
        Driven { finished, receipts_read, receipts_nameless, dead_nameless: self.dead_nameless }
    }
}

/// A row that names no message is told of in the run of its own time.
fn concerns(pipeline: &Pipeline, stamp: Stamp) -> bool {
    stamp.at().is_none_or(|at| pipeline.rules.span.contains(at))
}
