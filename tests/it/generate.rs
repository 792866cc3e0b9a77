//! The seeded generator: random pipelines with planted faults of every kind, many of them exactly on an edge.

use crate::pipeline::{Pipeline, UNCONFIGURED};
use crate::rng::Rng;
use chrono_tz::Tz;
use msgrecon::model::event::Stamp;
use msgrecon::model::time::{DAY, HOUR, MINUTE, SECOND};
use msgrecon::model::window::{cut, local_day};
use msgrecon::model::{DeadLetter, Event, Id, Micros, Receipt, Span, State};
use msgrecon::plan::{ConsumerRules, FlowRules};
use std::collections::BTreeSet;

/// Local days; most of them are days of a clock change.
const DAYS: [(&str, Tz); 8] = [
    ("2026-03-02", Tz::UTC),
    ("2026-03-02", Tz::Asia__Shanghai),
    ("2026-03-08", Tz::America__New_York),
    ("2026-11-01", Tz::America__New_York),
    ("2026-03-29", Tz::Europe__Berlin),
    ("2026-10-25", Tz::Europe__Berlin),
    ("2026-04-05", Tz::Australia__Lord_Howe),
    ("2026-10-04", Tz::Australia__Lord_Howe),
];

const NAMES: [&str; 3] = ["billing", "mailer", "points"];

/// Ids that are easily taken for something else, or for each other.
const ODD_IDS: [&str; 18] = [
    "",
    " ",
    "7",
    "007",
    "9007199254740992",
    "9007199254740993",
    "18446744073709551615",
    "18446744073709551616",
    "6ccd780c-baba-1026-9564-5b8c656024db",
    "6CCD780C-BABA-1026-9564-5B8C656024DB",
    "{6ccd780c-baba-1026-9564-5b8c656024db}",
    "api_4qD329",
    "api_4qd329",
    "caf\u{e9}-1",
    "cafe\u{301}-1",
    "=1+1",
    "<b>\"quoted'\\\n",
    "\u{1f69a}",
];

/// What the whole pipeline is like.
struct Shape {
    span: Span,
    rules: FlowRules,
    one_row: bool,
    one_receipt: Vec<bool>,
}

/// The pipeline of a seed.
pub fn generate(seed: u64) -> Pipeline {
    let mut rng = Rng::new(seed);
    let (day, zone) = rng.pick(&DAYS);
    let span = span(&mut rng, local_day(day.parse().unwrap(), zone));
    let window = rng.pick(&[7 * MINUTE, HOUR, HOUR, 5 * HOUR, DAY]);
    let consumers = 1 + rng.below(NAMES.len());
    let mut rules = rules(&mut rng, span);
    rules.windows = cut(span, window, zone, usize::MAX);
    rules.consumers = (0..consumers).map(|place| consumer(&mut rng, &rules, place)).collect();
    let only_paid = (0..consumers).map(|_| rng.chance(25)).collect();
    let one_receipt = (0..consumers).map(|_| rng.chance(40)).collect();
    let shape = Shape { span, rules: rules.clone(), one_row: rng.chance(40), one_receipt };
    let (events, receipts, dead_letters) = (Vec::new(), Vec::new(), Vec::new());
    let mut made = Pipeline { rules, zone, window, only_paid, events, receipts, dead_letters };
    let messages = 1 + rng.below(60).min(rng.below(60)).min(59);
    for id in ids(&mut rng, messages) {
        message(&mut rng, &shape, &mut made, &id);
    }
    nameless(&mut rng, &shape, &mut made);
    if rng.chance(20) {
        cancel_out(&mut rng, &shape, &mut made);
    }
    purge(&mut made);
    forget(&mut made);
    made
}

fn span(rng: &mut Rng, day: Span) -> Span {
    match rng.below(5) {
        0 => Span::new(day.from, day.until.plus(DAY)),
        1 => {
            let from = day.from.plus(rng.between(0, 20) * HOUR + rng.between(0, 2) * 17);
            Span::new(from, from.plus(rng.between(1, 6) * HOUR + rng.between(0, 2)))
        }
        _ => day,
    }
}

fn rules(rng: &mut Rng, span: Span) -> FlowRules {
    let after = rng.pick(&[0, 1, 30 * SECOND, 15 * MINUTE, 6 * HOUR, 6 * HOUR, 6 * HOUR, 30 * HOUR, 9 * DAY]);
    let fresh = rng.pick(&[-3 * HOUR, -1, 0, MINUTE, 12 * HOUR]);
    FlowRules {
        memory: msgrecon::model::memory::DEFAULT,
        name: "orders".to_owned(),
        as_of: span.until.plus(after),
        span,
        windows: Vec::new(),
        grace: rng.pick(&[0, MINUTE, 15 * MINUTE, 15 * MINUTE, 3 * HOUR]),
        late_after: rng.pick(&[None, Some(0), Some(5 * MINUTE), Some(HOUR)]),
        stuck_after: rng.pick(&[0, 10 * MINUTE, 10 * MINUTE, DAY]),
        rows_vanish: rng.chance(15),
        event_ids_unique: false,
        events_source: "shop".to_owned(),
        events_fresh_until: rng.chance(10).then(|| span.until.plus(fresh)),
        consumers: Vec::new(),
    }
}

fn consumer(rng: &mut Rng, rules: &FlowRules, place: usize) -> ConsumerRules {
    let within = |rng: &mut Rng| rules.span.from.plus(rng.between(0, rules.span.micros()) / HOUR * HOUR);
    let behind = rng.pick(&[0, 5 * MINUTE, 3 * HOUR, 20 * HOUR]);
    ConsumerRules {
        name: NAMES[place].to_owned(),
        source: "work".to_owned(),
        since: rng.chance(25).then(|| within(rng)),
        until: rng.chance(20).then(|| within(rng)),
        retention: rng.chance(30).then(|| rng.pick(&[HOUR, 8 * HOUR, DAY, 7 * DAY])),
        receipt_ids_unique: false,
        selective: false,
        receipts_dated: rng.chance(95),
        fresh_until: rng.chance(15).then(|| rules.as_of.plus(-behind)),
    }
}

/// Ids of messages, each once; some are odd.
fn ids(rng: &mut Rng, count: usize) -> BTreeSet<Id> {
    (0..count)
        .map(|nr| match rng.below(12) {
            0 => Id::from_text(rng.pick(&ODD_IDS)),
            1 => Id::from_bytes(&[0xff, 0x00, u8::try_from(nr).unwrap()]),
            2 => Id::from_text(&format!("{}{nr}", "x".repeat(297))),
            3 => Id::from_integer(nr.try_into().unwrap()),
            _ => Id::from_text(&format!("m{nr}")),
        })
        .collect()
}

/// An instant of the producer's time; often exactly where something ends, or a microsecond beside it.
fn moment(rng: &mut Rng, shape: &Shape) -> Micros {
    let (rules, span) = (&shape.rules, shape.span);
    let beside = rng.pick(&[-1, 0, 0, 1]);
    let inside = span.from.plus(rng.between(0, span.micros()));
    match rng.below(20) {
        0 => span.from.plus(beside),
        1 => span.until.plus(beside),
        2 | 3 => rules.windows[rng.below(rules.windows.len())].0.from.plus(beside),
        4 => rules.as_of.plus(beside - rules.grace),
        5 => rules.as_of.plus(beside - rules.stuck_after),
        6 => {
            let consumer = &rules.consumers[rng.below(rules.consumers.len())];
            let kept = consumer.retention.map(|kept| rules.as_of.plus(-kept));
            let edges = [kept, consumer.since, consumer.until, consumer.fresh_until];
            rng.pick(&edges).unwrap_or(inside).plus(beside)
        }
        7 => span.from.plus(-rng.between(1, 2 * DAY)),
        8 => span.until.plus(rng.between(0, 2 * DAY)),
        _ => inside,
    }
}

/// How long after its ack a message is consumed; negative where the consumer's clock is behind.
fn delay(rng: &mut Rng, rules: &FlowRules) -> i64 {
    let late = rules.late_after.unwrap_or(HOUR);
    match rng.below(14) {
        0 => -rng.between(0, 9 * MINUTE),
        1 => late,
        2 => late + 1,
        3 => rules.grace.max(10 * MINUTE) + rng.between(-1, 2),
        4 => rng.between(HOUR, 6 * HOUR),
        5 => rng.between(DAY, 3 * DAY),
        6 => 0,
        _ => rng.between(0, 90 * SECOND),
    }
}

/// One message: its event rows, and what each consumer made of it.
fn message(rng: &mut Rng, shape: &Shape, made: &mut Pipeline, id: &Id) {
    let rows = if shape.one_row { [(8, 0), (92, 1)].as_slice() } else { &[(8, 0), (70, 1), (15, 2), (7, 3)] };
    let rows = rng.weighted(rows);
    let mut at = moment(rng, shape);
    let mut acked = false;
    let consumed_from = at;
    for _ in 0..rows {
        let row = event(rng, made, Some(id.clone()), at);
        acked |= row.state == State::Acked;
        made.events.push(row);
        let retried = at.plus(rng.between(0, 2 * HOUR));
        at = if rng.chance(50) { retried } else { moment(rng, shape) };
    }
    for place in 0..made.rules.consumers.len() {
        let counts = match (rows, acked, shape.one_receipt[place]) {
            (0, _, true) | (_, false, true) => [(60, 0), (40, 1)].as_slice(),
            (_, true, true) => &[(20, 0), (80, 1)],
            (0, ..) | (_, false, _) => &[(60, 0), (30, 1), (10, 2)],
            (_, true, false) => &[(18, 0), (68, 1), (10, 2), (4, 3)],
        };
        for _ in 0..rng.weighted(counts) {
            let row = receipt(rng, made, Some(id.clone()), consumed_from, place);
            made.receipts.push((place, row));
        }
        for _ in 0..rng.weighted(&[(85, 0), (12, 1), (3, 2)]) {
            let dead = dead_letter(rng, Some(id.clone()), consumed_from);
            made.dead_letters.push((place, dead));
        }
    }
    if rng.chance(3) {
        let row = receipt(rng, made, Some(id.clone()), consumed_from, 0);
        made.receipts.push((UNCONFIGURED, row));
    }
}

fn event(rng: &mut Rng, made: &Pipeline, id: Option<Id>, at: Micros) -> Event {
    let states = [(74, State::Acked), (12, State::Pending), (10, State::Failed), (4, State::Unknown)];
    let state = rng.weighted(&states);
    let created = Stamp::At(at.plus(-rng.pick(&[0, SECOND, 5 * MINUTE, 2 * HOUR])));
    let damaged = damaged(rng, made.rules.as_of);
    let (created, acked) = match (rng.below(60), state) {
        (0, _) => (created, damaged),
        (1, _) => (damaged, Stamp::None),
        (2, _) => (Stamp::None, Stamp::None),
        (3, _) => (damaged, Stamp::At(at)),
        (4, _) => (Stamp::None, Stamp::At(at)),
        (5 | 6, _) | (_, State::Pending | State::Failed | State::Unknown) => (Stamp::At(at), Stamp::None),
        (_, State::Acked) => (created, Stamp::At(at)),
    };
    let paid = rng.chance(80);
    let bits = |place: usize| !made.only_paid.get(place).copied().unwrap_or(place == 63) || paid;
    Event {
        id,
        state,
        created,
        acked,
        expected_by: (0..64).filter(|place| bits(*place)).fold(0, |bits, place| bits | 1 << place),
        in_flow: rng.chance(96),
        attempts: None,
    }
}

/// A value that is there and is no time at which a message can have been written.
fn damaged(rng: &mut Rng, as_of: Micros) -> Stamp {
    rng.pick(&[
        Stamp::Unusable,
        Stamp::Unusable,
        Stamp::At(Micros(0)),
        Stamp::At(Micros::EARLIEST_USABLE.plus(-1)),
        Stamp::At(as_of.plus(DAY + 1)),
        Stamp::At(as_of.plus(DAY - 1)),
    ])
}

fn receipt(rng: &mut Rng, made: &Pipeline, id: Option<Id>, at: Micros, place: usize) -> Receipt {
    let rules = &made.rules;
    let at = at.plus(delay(rng, rules)).min(rules.as_of.plus(DAY - 1));
    let dated = rules.consumers[place].receipts_dated;
    let consumed = match rng.below(40) {
        _ if !dated => Stamp::None,
        0 => Stamp::None,
        1 => Stamp::Unusable,
        _ => Stamp::At(at),
    };
    Receipt { id, consumed }
}

fn dead_letter(rng: &mut Rng, id: Option<Id>, at: Micros) -> DeadLetter {
    let at = at.plus(rng.pick(&[0, MINUTE, HOUR, 12 * HOUR, 2 * DAY]));
    let dead = if rng.chance(95) { Stamp::At(at) } else { Stamp::None };
    DeadLetter { id, dead, closed: rng.chance(35), reason: Some("timeout".to_owned()) }
}

/// Rows whose id is NULL.
fn nameless(rng: &mut Rng, shape: &Shape, made: &mut Pipeline) {
    if rng.chance(10) {
        let at = moment(rng, shape);
        let row = event(rng, made, None, at);
        made.events.push(row);
    }
    for place in 0..made.rules.consumers.len() {
        if rng.chance(8) {
            let at = moment(rng, shape);
            let row = receipt(rng, made, None, at, place);
            made.receipts.push((place, row));
        }
        if rng.chance(3) {
            let at = moment(rng, shape);
            made.dead_letters.push((place, dead_letter(rng, None, at)));
        }
    }
}

/// One message is lost and another is processed twice: the counts agree.
fn cancel_out(rng: &mut Rng, shape: &Shape, made: &mut Pipeline) {
    let place = rng.below(made.rules.consumers.len());
    let own: Vec<_> = (0..made.receipts.len()).filter(|nr| made.receipts[*nr].0 == place).collect();
    if own.len() > 1 && !shape.one_receipt[place] {
        made.receipts[own[0]].1 = made.receipts[own[1]].1.clone();
    }
}

/// Receipts older than the consumer keeps them are gone.
fn purge(made: &mut Pipeline) {
    let Pipeline { rules, receipts, .. } = made;
    let kept = |place: usize| rules.consumers.get(place).and_then(|consumer| consumer.retention);
    receipts.retain(|(place, row)| {
        let oldest = kept(*place).map(|kept| rules.as_of.plus(-kept));
        oldest.zip(row.consumed.at()).is_none_or(|(oldest, at)| oldest <= at)
    });
}

/// A message that is consumed near the range is not asked for receipts from long before it: a run of that earlier
/// range sees both. So no pipeline has such a pair.
fn forget(made: &mut Pipeline) {
    let from = made.rules.span.from.plus(-10 * MINUTE);
    let early = |row: &Receipt| row.consumed.at().is_some_and(|at| at < from);
    let all = made.receipts.clone();
    made.receipts.retain(|(place, row)| {
        let same = |other: &&(usize, Receipt)| other.0 == *place && other.1.id == row.id;
        let known = made.events.iter().any(|event| event.id == row.id);
        !(early(row) && known && all.iter().filter(same).any(|(_, other)| !early(other)))
    });
}
