//! Runs for the tests of every format: one that holds everything, one empty, one balanced, one huge, and those that a
//! ledger chose.

mod life;

pub use life::{nothing_due, scheduled};

use crate::model::latency::LatencySeconds;
use crate::model::run::{Backlog, Breach, Counts, Strategy};
use crate::model::tally::{EventTotals, Receipts};
use crate::model::time::{HOUR, MINUTE, SECOND};
use crate::model::window::{cut, local_day};
use crate::model::{
    ConsumerReport, Difference, FlowReport, Id, Kind, Micros, Outcome, Problem, Run, Span, Status, Totals,
    Verdict, Window,
};
use chrono_tz::America::New_York;

/// Ids that try to be something else.
pub const HOSTILE: [&str; 9] = [
    "<img src=x onerror=alert(1)>",
    "../../tmp/x",
    "\u{1b}[31mred",
    "=1+1",
    "caf\u{e9}-1",
    "cafe\u{301}-1",
    "a\nb",
    "'quoted'",
    "\"><svg onload=alert(1)>",
];

fn day() -> Span {
    local_day("2026-11-01".parse().unwrap(), New_York)
}

fn as_of() -> Micros {
    day().until.plus(2 * HOUR)
}

/// A consumer's counts from what lies in the windows: `(window, kind, messages, receipts of each)`.
fn counts(entries: &[(usize, Kind, u64, u64)]) -> Counts {
    let windows = cut(day(), HOUR, New_York, 1000);
    let mut windows: Vec<(Window, Totals)> =
        windows.into_iter().map(|one| (one, Totals::default())).collect();
    for (place, kind, messages, receipts) in entries {
        let totals = &mut windows[*place].1;
        for _ in 0..*messages {
            totals.acked += u64::from(!matches!(kind, Kind::Orphan | Kind::AckLost));
            totals.add(*kind, *receipts);
        }
    }
    let mut totals = Totals::default();
    for (_, one) in &windows {
        totals.merge(one);
    }
    let receipts = Receipts { read: totals.records() + 2, outside: 2, undecidable: 0, without_id: 0 };
    Counts {
        totals,
        receipts,
        latency: Some(LatencySeconds { p50: 0.84, p95: 3.2, p99: 61.0, max: 7320.5 }),
        clock_skew_seconds: Some(1.25),
        consumed_but_parked: 0,
        windows,
    }
}

fn consumer(name: &str, counts: Option<Counts>) -> ConsumerReport {
    let complete = counts.is_some();
    let differences = counts.as_ref().map_or(0, |counts| counts.totals.differences());
    ConsumerReport {
        name: name.to_owned(),
        outcome: Outcome::of(differences, complete),
        complete,
        strategy: Strategy::Stream,
        counts,
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    }
}

fn difference(consumer: Option<&str>, kind: Kind, id: Option<&str>, hour: i64, detail: &str) -> Difference {
    let at = day().from.plus(hour * HOUR);
    let acked = !kind.is_of_producer() && !matches!(kind, Kind::AckLost | Kind::Orphan);
    let has_receipt = matches!(kind, Kind::Late | Kind::Duplicate | Kind::AckLost | Kind::Orphan);
    Difference {
        flow: "order-paid".to_owned(),
        consumer: consumer.map(str::to_owned),
        window_from: (kind != Kind::Unattributable).then_some(at),
        kind,
        id: id.map(|id| if id == "hex" { Id::from_bytes(&[0xff, 0]) } else { Id::from_text(id) }),
        created_at: (kind != Kind::Unattributable && kind != Kind::Orphan).then(|| at.plus(MINUTE)),
        acked_at: acked.then(|| at.plus(2 * MINUTE + 250_000)),
        consumed_at: has_receipt.then(|| at.plus(9 * MINUTE)),
        age: (kind != Kind::Unattributable).then(|| as_of().since(at.plus(2 * MINUTE + 250_000))),
        first_seen: as_of(),
        detail: detail.to_owned(),
        status: Status::New,
        times_seen: 1,
        after_first_check: false,
    }
}

fn differences() -> Vec<Difference> {
    let long = "x".repeat(150) + "1" + &"y".repeat(150);
    let one = |kind, id, hour, detail| difference(Some("points"), kind, Some(id), hour, detail);
    let mut all = vec![
        one(Kind::Late, "late-1", 2, "8m after the ack"),
        one(Kind::Duplicate, HOSTILE[7], 3, "2 receipts"),
        one(Kind::Duplicate, HOSTILE[8], 3, "3 receipts"),
        one(Kind::DeadLettered, "dead-1", 4, "reason: <b>NullPointerException</b>\n\tat Points.add"),
        one(Kind::AckLost, "sent-1", 5, "1 receipt"),
        one(Kind::Orphan, HOSTILE[5], 6, "1 receipt"),
        one(Kind::Missing, "9007199254740993", 1, ""),
        one(Kind::Missing, &long, 2, ""),
        difference(Some("stock"), Kind::Missing, Some(HOSTILE[6]), 7, ""),
        difference(None, Kind::Stuck, Some("stuck-1"), 3, "12 attempts"),
        difference(None, Kind::PublishFailed, Some("hex"), 8, "3 attempts"),
        difference(None, Kind::Unattributable, None, 0, "created_at is +infinity"),
    ];
    all.extend(HOSTILE[..5].iter().map(|id| one(Kind::Missing, id, 1, "")));
    all = all.into_iter().map(life::remembered).collect();
    all.sort();
    all
}

fn rich_points() -> ConsumerReport {
    let mut counts = counts(&[
        (0, Kind::Ok, 120, 1),
        (1, Kind::Ok, 80, 1),
        (1, Kind::Missing, 6, 0),
        (2, Kind::Missing, 1, 0),
        (2, Kind::Late, 1, 1),
        (3, Kind::Duplicate, 1, 2),
        (3, Kind::Duplicate, 1, 3),
        (4, Kind::DeadLettered, 1, 0),
        (5, Kind::AckLost, 1, 1),
        (6, Kind::Orphan, 1, 1),
        (9, Kind::Ok, 240, 1),
        (24, Kind::Ok, 40, 1),
        (24, Kind::InFlight, 2, 0),
    ]);
    counts.consumed_but_parked = 1;
    let mut points = consumer("points", Some(counts));
    points.other_consumers = vec![("points-v0".to_owned(), 17), ("<b>points</b>".to_owned(), 1)];
    points
}

fn rich_stock() -> ConsumerReport {
    let entries = [(0, Kind::Ok, 490, 1), (7, Kind::Missing, 1, 0), (8, Kind::Unverifiable, 2, 0)];
    let mut counts = counts(&entries);
    counts.receipts.read += 1;
    counts.receipts.without_id = 3;
    counts.latency = None;
    counts.clock_skew_seconds = None;
    let mut stock = consumer("stock", Some(counts));
    stock.not_decidable = vec![Kind::Duplicate, Kind::Orphan];
    stock
}

fn breach(metric: &str, consumer: Option<&str>, level: Verdict, value: &str, bound: &str) -> Breach {
    Breach {
        metric: metric.to_owned(),
        consumer: consumer.map(str::to_owned),
        level,
        value: value.to_owned(),
        bound: bound.to_owned(),
    }
}

fn backlog() -> Backlog {
    let mut backlog = Backlog::default();
    for age in [30 * SECOND, 40 * SECOND, 5 * MINUTE, 22 * HOUR] {
        backlog.add(Some(as_of().plus(-age)), as_of());
    }
    backlog.add(None, as_of());
    backlog
}

fn events() -> EventTotals {
    EventTotals {
        rows: 1_004,
        acked: 493,
        pending: 3,
        stuck: 1,
        publish_failed: 1,
        ack_lost: 1,
        unknown_state: 2,
        unattributable: 1,
        without_id: 1,
    }
}

fn flow(name: &str, consumers: Vec<ConsumerReport>, events: Option<EventTotals>) -> FlowReport {
    let complete = events.is_some() && consumers.iter().all(|consumer| consumer.complete);
    FlowReport {
        name: name.to_owned(),
        outcome: consumers.iter().map(|one| one.outcome).max().unwrap_or(Outcome::Balanced),
        complete,
        verdict: Verdict::Pass,
        events,
        backlog: events.map(|_| Backlog::default()),
        windows: Vec::new(),
        consumers,
        acknowledged: Vec::new(),
        life: None,
        breaches: Vec::new(),
        hints: Vec::new(),
    }
}

fn run(flows: Vec<FlowReport>, differences: Vec<Difference>) -> Run {
    let complete = flows.iter().all(|flow| flow.complete);
    let verdict = flows.iter().map(|flow| flow.verdict).max().unwrap_or(Verdict::Pass);
    Run {
        id: "r-20261102-0001".to_owned(),
        version: "0.1.0".to_owned(),
        as_of: as_of(),
        span: day(),
        time_zone: New_York,
        scheduled: false,
        last_run: None,
        outcome: Outcome::of(differences.len() as u64, complete),
        complete,
        verdict,
        exit_code: u8::from(verdict == Verdict::Fail),
        flows,
        differences_total: differences.len() as u64,
        differences,
        problems: Vec::new(),
    }
}

/// Everything at once: hostile ids and names, an unreadable consumer, an unreadable producer, a layout that cannot
/// show two kinds, a day of 25 hours, a cut list, a ledger.
pub fn rich() -> Run {
    let consumers = vec![rich_points(), consumer("sms", None), rich_stock()];
    let mut orders = flow("order-paid", consumers, Some(events()));
    orders.verdict = Verdict::Fail;
    orders.backlog = Some(backlog());
    orders.breaches = vec![
        breach("missing", Some("points"), Verdict::Fail, "7 (1.42 %)", "0.1 %"),
        breach("oldest_pending", None, Verdict::Warn, "22h", "10m"),
    ];
    orders.hints =
        vec!["Ids `caf\u{e9}-1` and `cafe\u{301}-1` differ only in their Unicode form.".to_owned()];
    orders.life = Some(life::rich());
    orders.acknowledged = life::acknowledged();
    let script = consumer("\"><script>alert(1)</script>", None);
    let mut run = run(vec![orders, flow("orders\r\nBcc: x@example.test", vec![script], None)], differences());
    run.differences_total += 3;
    run.last_run = Some(life::last_run());
    run.problems = vec![
        Problem {
            source: "sms_db".to_owned(),
            flow: Some("order-paid".to_owned()),
            message: "cannot connect to db.example.test:5432: connection refused; start it or mend `url`"
                .to_owned(),
        },
        Problem {
            source: "orders".to_owned(),
            flow: Some("orders\r\nBcc: x@example.test".to_owned()),
            message: "table \"<i>event</i>\" does not exist\u{1b}[2J".to_owned(),
        },
        Problem {
            source: "-".to_owned(),
            flow: None,
            message: "the list of differences was cut at 17".to_owned(),
        },
    ];
    run
}

/// Both sides were read and hold nothing.
pub fn empty() -> Run {
    let nothing = Counts { receipts: Receipts::default(), ..counts(&[]) };
    run(
        vec![flow("order-paid", vec![consumer("points", Some(nothing))], Some(EventTotals::default()))],
        vec![],
    )
}

/// Two consumers that agree with their producer.
pub fn balanced() -> Run {
    let entries = [(0, Kind::Ok, 40, 1), (24, Kind::Ok, 2, 1), (24, Kind::InFlight, 1, 0)];
    let consumers = vec![consumer("points", Some(counts(&entries))), consumer("sms", Some(counts(&entries)))];
    let events = EventTotals { rows: 43, acked: 43, ..EventTotals::default() };
    run(vec![flow("order-paid", consumers, Some(events))], vec![])
}

/// So many missing messages, and a window for each hour of a month.
pub fn many(count: usize) -> Run {
    let list = (0..count)
        .map(|number| difference(Some("points"), Kind::Missing, Some(&format!("m-{number:07}")), 1, ""));
    let mut run = run(vec![rich().flows.remove(0)], list.collect());
    run.flows[0].life = None;
    run.flows[0].acknowledged.clear();
    let month = Span::new(day().from.plus(-30 * 24 * HOUR), day().until);
    let totals = |place: u64| {
        let (ok, missing) = (50 + place * 37 % 90, u64::from(place.is_multiple_of(97)) * 3);
        Totals { acked: ok + missing, ok, missing, ..Totals::default() }
    };
    for consumer in &mut run.flows[0].consumers {
        if let Some(counts) = &mut consumer.counts {
            let windows = cut(month, HOUR, New_York, 10_000).into_iter().zip(0..);
            counts.windows = windows.map(|(window, place)| (window, totals(place))).collect();
        }
    }
    run
}
