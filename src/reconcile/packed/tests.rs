use super::*;
use crate::book::{Answers, Finished};
use crate::model::event::Stamp;
use crate::model::time::{DAY, HOUR, MINUTE};
use crate::model::{Bulk, ShortEvents, Span, State, Window};
use crate::plan::{ConsumerRules, FlowRules};
use proptest::prelude::*;
use std::collections::HashMap;

const FROM: Micros = Micros(400 * DAY);
const CONSUMERS: usize = 2;

fn rules() -> FlowRules {
    let consumer = |name: &str| ConsumerRules {
        name: name.to_owned(),
        source: name.to_owned(),
        since: None,
        until: None,
        retention: None,
        receipt_ids_unique: true,
        selective: false,
        receipts_dated: true,
        fresh_until: None,
    };
    let span = Span::new(FROM, FROM.plus(4 * HOUR));
    let hour = |hour| Window(Span::new(FROM.plus(hour * HOUR), FROM.plus((hour + 1) * HOUR)));
    FlowRules {
        memory: crate::model::memory::DEFAULT,
        name: "orders".to_owned(),
        as_of: FROM.plus(6 * HOUR),
        span,
        windows: (0..4).map(hour).collect(),
        grace: 15 * MINUTE,
        late_after: Some(HOUR),
        stuck_after: 10 * MINUTE,
        rows_vanish: false,
        event_ids_unique: true,
        events_source: "orders".to_owned(),
        events_fresh_until: None,
        consumers: vec![consumer("points"), consumer("mailer")],
    }
}

/// What is read of a slice.
#[derive(Clone, Debug, Default)]
struct Read {
    acked: Vec<Event>,
    beside: Vec<Event>,
    receipts: Vec<(usize, Id, Micros)>,
    odd_receipts: Vec<(usize, Id, Micros)>,
    letters: Vec<(usize, DeadLetter)>,
}

fn event(id: &Id, state: State, at: Micros, expected_by: u64) -> Event {
    let acked = if state == State::Acked { Stamp::At(at) } else { Stamp::None };
    let created = Stamp::At(at.plus(-MINUTE).max(FROM));
    Event { id: Some(id.clone()), state, created, acked, expected_by, in_flow: true, attempts: None }
}

fn row(id: &Id, at: Micros) -> PackedRow {
    PackedRow { digest: Digest::of(id).word, at }
}

/// As rows are streamed: see `Gathered::feed`.
fn streamed(slices: &[Read]) -> FlowBook {
    let mut book = FlowBook::streamed(rules());
    for (number, read) in slices.iter().enumerate() {
        if number + 1 == slices.len() {
            book.events_done();
        }
        let short = read.acked.iter().map(|event| {
            let mut rows = Bulk::default();
            assert!(rows.push_id(event.id.as_ref().unwrap(), event.acked.at().unwrap()));
            ShortEvents { rows, expected_by: event.expected_by, created_unread: true }
        });
        let mut bulks = vec![Bulk::default(); CONSUMERS];
        for (place, id, at) in &read.receipts {
            assert!(bulks[*place].push_id(id, *at));
        }
        book.slice(short.collect(), &bulks);
        read.beside.iter().for_each(|event| book.event(event));
        for (place, id, at) in &read.odd_receipts {
            book.receipt(*place, Receipt { id: Some(id.clone()), consumed: Stamp::At(*at) });
        }
        read.letters.iter().for_each(|(place, letter)| book.dead_letter(*place, letter.clone()));
    }
    book
}

/// The same packed; `None` where it has to be streamed.
fn packed(slices: &[Read]) -> Option<FlowBook> {
    let mut packed = Packed::new(FlowBook::streamed(rules()), std::iter::empty());
    for (number, read) in slices.iter().enumerate() {
        packed.take(answers(read), number + 1 == slices.len());
    }
    if packed.is_over() {
        return None;
    }
    let left = packed.left();
    let all = slices.iter().flat_map(|read| &read.acked);
    let all: HashMap<_, _> = all
        .map(|event| (row(event.id.as_ref().unwrap(), event.acked.at().unwrap()), event.clone()))
        .collect();
    let receipts = slices.iter().flat_map(|read| &read.receipts);
    let known: HashMap<_, _> = receipts.map(|(place, id, at)| ((*place, row(id, *at)), id.clone())).collect();
    let found = |(place, rows): (usize, &Vec<PackedRow>)| {
        let receipt = |row: &PackedRow| Receipt {
            id: Some(known[&(place, *row)].clone()),
            consumed: Stamp::At(row.at),
        };
        rows.iter().map(receipt).collect()
    };
    let receipts = left.receipts.iter().enumerate().map(found).collect();
    packed.enter(&left, &all, receipts).ok()
}

fn answers(read: &Read) -> Vec<Answer> {
    let packed = read.acked.iter().map(|event| PackedEvents {
        rows: vec![row(event.id.as_ref().unwrap(), event.acked.at().unwrap())],
        expected_by: event.expected_by,
    });
    let slice = EventSlice { packed: packed.collect(), rows: read.beside.clone(), ..EventSlice::default() };
    let mut all: Vec<Answer> = vec![(Who::Producer, Ok(Some(Batch::Events(slice))))];
    for place in 0..CONSUMERS {
        let mine = |(whose, id, at): &(usize, Id, Micros)| (*whose == place).then(|| (id.clone(), *at));
        let odd = read.odd_receipts.iter().filter_map(mine);
        let odd = odd.map(|(id, at)| Receipt { id: Some(id), consumed: Stamp::At(at) });
        let rows = read.receipts.iter().filter_map(mine).map(|(id, at)| row(&id, at));
        let slice = ReceiptSlice { packed: rows.collect(), rows: odd.collect(), ..ReceiptSlice::default() };
        all.push((Who::Consumer(place), Ok(Some(Batch::Receipts(slice)))));
        let letters = read.letters.iter().filter(|(whose, _)| *whose == place);
        let letters = letters.map(|(_, letter)| letter.clone()).collect();
        all.push((Who::Consumer(place), Ok(Some(Batch::DeadLetters(letters)))));
    }
    all
}

/// Looks everything up as `confirm` does: what the tables hold in the end.
fn decided(mut book: FlowBook, slices: &[Read]) -> Finished {
    let mut rows: HashMap<Id, Event> = HashMap::new();
    for event in slices.iter().flat_map(|read| read.beside.iter().chain(&read.acked)) {
        let id = event.id.clone().unwrap();
        let kept = rows.entry(id).or_insert_with(|| event.clone());
        if event.state == State::Acked {
            *kept = event.clone();
        }
    }
    let events = |ids: &[Id]| ids.iter().filter_map(|id| rows.get(id).cloned()).collect::<Vec<_>>();
    book.close_reading();
    for place in 0..CONSUMERS {
        let ids = book.suspects(place);
        let asked: Vec<_> = ids.iter().filter(|id| book.needs_event(place, id)).cloned().collect();
        let mine = |whose: usize, id: &Id| whose == place && ids.contains(id);
        let receipts = slices.iter().flat_map(|read| read.receipts.iter().chain(&read.odd_receipts));
        let receipts = receipts.filter(|(whose, id, _)| mine(*whose, id));
        let receipts =
            receipts.map(|(_, id, at)| Receipt { id: Some(id.clone()), consumed: Stamp::At(*at) }).collect();
        let letters = slices.iter().flat_map(|read| &read.letters);
        let letters = letters.filter(|(whose, letter)| mine(*whose, letter.id.as_ref().unwrap()));
        let dead_letters = letters.map(|(_, letter)| letter.clone()).collect();
        book.decide(place, &ids, Answers { events: events(&asked), receipts, dead_letters });
    }
    let open = book.open_events();
    let found = events(&open);
    book.decide_open(&open, found);
    book.finish()
}

fn told(finished: &Finished) -> String {
    format!("{finished:#?}")
}

/// What happened to one message: in which slices its rows were read, and as what.
#[derive(Clone, Debug)]
struct Fate {
    acked: Option<usize>,
    beside: Option<(usize, State)>,
    receipts: [Option<(usize, i64, bool)>; CONSUMERS],
    letter: Option<(usize, usize, bool)>,
    expected_by: u64,
}

/// The last one lies behind the events.
const SLICES: usize = 4;

fn fate() -> impl Strategy<Value = Fate> {
    let receipt =
        || proptest::option::weighted(0.8, (0..SLICES, -90..150_i64, proptest::bool::weighted(0.1)));
    let state = proptest::sample::select(vec![State::Pending, State::Failed, State::Unknown]);
    (
        proptest::option::weighted(0.8, 0..SLICES - 1),
        proptest::option::weighted(0.3, (0..SLICES - 1, state)),
        (receipt(), receipt()),
        // Behind the events: streamed, a receipt that was counted outside is counted again for a letter that comes later.
        proptest::option::weighted(0.3, (0..SLICES - 1, 0..CONSUMERS, any::<bool>())),
        0..4_u64,
    )
        .prop_map(|(acked, beside, (one, other), letter, expected_by)| Fate {
            acked,
            beside,
            receipts: [one, other],
            letter,
            expected_by,
        })
}

fn read(fates: &[Fate]) -> Vec<Read> {
    let mut slices = vec![Read::default(); SLICES];
    for (number, fate) in fates.iter().enumerate() {
        let id = Id::from_text(&format!("m{number}"));
        let minutes = i64::try_from(number).unwrap() * 37 % 240;
        let at = FROM.plus(minutes * MINUTE);
        if let Some(slice) = fate.acked {
            slices[slice].acked.push(event(&id, State::Acked, at, fate.expected_by));
        }
        // No row goes back from acked, so that what it was before is read before.
        if let Some((slice, state)) =
            fate.beside.filter(|(slice, _)| fate.acked.is_none_or(|acked| *slice < acked))
        {
            slices[slice].beside.push(event(&id, state, at, fate.expected_by));
        }
        for (place, receipt) in fate.receipts.iter().enumerate() {
            let Some((slice, after, odd)) = receipt else { continue };
            let one = (place, id.clone(), at.plus(after * MINUTE));
            if *odd { slices[*slice].odd_receipts.push(one) } else { slices[*slice].receipts.push(one) }
        }
        if let Some((slice, place, closed)) = fate.letter {
            let dead = Stamp::At(at.plus(MINUTE));
            let letter = DeadLetter { id: Some(id), dead, closed, reason: None };
            slices[slice].letters.push((place, letter));
        }
    }
    slices
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(250))]
    /// Whatever comes in whatever order, rows that change in between among it.
    #[test]
    fn packed_books_say_what_streamed_ones_say(fates in proptest::collection::vec(fate(), 1..12)) {
        let slices = read(&fates);
        let packed = packed(&slices);
        prop_assert!(packed.is_some());
        let (right, found) = (decided(streamed(&slices), &slices), decided(packed.unwrap(), &slices));
        let (right, found) = (told(&right), told(&found));
        let lines = right.lines().zip(found.lines()).filter(|(right, found)| right != found);
        let unlike: Vec<_> = lines.take(6).collect();
        prop_assert!(right == found, "{unlike:#?}\n{fates:#?}");
    }
}

#[test]
fn what_comes_twice_ends_it() {
    let id = Id::from_text("m");
    let acked = |at| event(&id, State::Acked, at, 3);
    let read = Read { acked: vec![acked(FROM), acked(FROM.plus(1))], ..Read::default() };
    assert!(packed(&[read]).is_none());
    let receipts = vec![(0, id.clone(), FROM), (0, id, FROM)];
    assert!(packed(&[Read { receipts, ..Read::default() }]).is_none());
}

#[test]
fn a_failed_source_ends_it_with_its_own_words() {
    let mut packed = Packed::new(FlowBook::streamed(rules()), std::iter::empty());
    packed.take(vec![(Who::Consumer(0), Ok(None))], false);
    assert_eq!(packed.over.as_deref(), Some("a second has more rows than one answer holds"));
}
