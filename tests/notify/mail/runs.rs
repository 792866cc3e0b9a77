//! Runs and digests to tell of: with many differences, with a few, all quiet, well again.

use chrono_tz::Asia::Shanghai;
use msgrecon::model::alert::{AlertState, Event, Silenced};
use msgrecon::model::life::{Acknowledged, LastRun, TrendPoint};
use msgrecon::model::run::{Backlog, Counts, Strategy};
use msgrecon::model::tally::{EventTotals, Receipts};
use msgrecon::model::time::{DAY, HOUR, MINUTE};
use msgrecon::model::{
    Alert, AlertKey, ConsumerReport, Difference, Digest, FlowLife, FlowReport, Id, Kind, Micros, Notice,
    Occasion, Outcome, Problem, Run, Span, Status, Totals, Verdict, Window,
};

/// 2026-03-02 in Shanghai.
pub fn day() -> Span {
    Span::new(Micros(1_772_380_800_000_000), Micros(1_772_380_800_000_000 + DAY))
}

fn as_of() -> Micros {
    day().until.plus(2 * HOUR)
}

pub fn difference(flow: &str, consumer: Option<&str>, kind: Kind, id: &str, status: Status) -> Difference {
    let at = day().from.plus(10 * HOUR);
    Difference {
        flow: flow.to_owned(),
        consumer: consumer.map(str::to_owned),
        window_from: Some(at),
        kind,
        id: Some(Id::from_text(id)),
        created_at: Some(at.plus(MINUTE)),
        acked_at: Some(at.plus(2 * MINUTE)),
        consumed_at: None,
        age: Some(as_of().since(at.plus(2 * MINUTE))),
        first_seen: as_of(),
        detail: match kind {
            Kind::Duplicate => "2 receipts".to_owned(),
            Kind::DeadLettered => "reason: java.sql.SQLException: Lock wait timeout exceeded".to_owned(),
            _ => String::new(),
        },
        status,
        times_seen: 1,
        after_first_check: false,
    }
}

pub fn consumer(name: &str, totals: Option<Totals>) -> ConsumerReport {
    let counts = totals.map(|totals| Counts {
        totals,
        receipts: Receipts { read: totals.records(), ..Receipts::default() },
        latency: None,
        clock_skew_seconds: None,
        consumed_but_parked: 0,
        windows: vec![(Window(day()), totals)],
    });
    ConsumerReport {
        name: name.to_owned(),
        outcome: Outcome::of(totals.map_or(0, |totals| totals.differences()), counts.is_some()),
        complete: counts.is_some(),
        strategy: Strategy::Stream,
        counts,
        not_decidable: Vec::new(),
        other_consumers: Vec::new(),
    }
}

fn days(lost: u64) -> Vec<TrendPoint> {
    let day = |back: i64| TrendPoint {
        span: Span::new(day().from.plus(-back * DAY), day().until.plus(-back * DAY)),
        complete: back != 4,
        acked: 400_000,
        lost: if back == 0 { lost } else { u64::from(back == 8) * 3 },
        other: u64::from(back == 6),
    };
    (0..30).rev().map(day).collect()
}

pub fn flow(name: &str, consumers: Vec<ConsumerReport>, events: EventTotals) -> FlowReport {
    let complete = consumers.iter().all(|one| one.complete);
    let outcome = consumers.iter().map(|one| one.outcome).max().unwrap_or(Outcome::Balanced);
    let lost = consumers.iter().filter_map(|one| one.counts.as_ref()).map(|one| one.totals.missing).sum();
    FlowReport {
        name: name.to_owned(),
        outcome,
        complete,
        verdict: if outcome == Outcome::Differences { Verdict::Fail } else { Verdict::Pass },
        events: Some(events),
        backlog: Some(Backlog::default()),
        windows: vec![(Window(day()), events)],
        consumers,
        acknowledged: Vec::new(),
        life: Some(FlowLife { watermark: Some(day().until), days: days(lost), ..FlowLife::default() }),
        breaches: Vec::new(),
        hints: Vec::new(),
    }
}

pub fn run(flows: Vec<FlowReport>, differences: Vec<Difference>) -> Run {
    let complete = flows.iter().all(|flow| flow.complete);
    let verdict = flows.iter().map(|flow| flow.verdict).max().unwrap_or(Verdict::Pass);
    Run {
        id: "20260303T020000Z-1a2b3c4d".to_owned(),
        version: "0.1.0".to_owned(),
        as_of: as_of(),
        span: day(),
        time_zone: Shanghai,
        scheduled: true,
        last_run: Some(LastRun { id: "20260302T020000Z-5e6f7a8b".to_owned(), as_of: as_of().plus(-DAY) }),
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

/// So many missing messages of one flow and consumer.
pub fn missing(flow_name: &str, consumer_name: &str, ids: &[String]) -> Run {
    let lost = ids.len() as u64;
    let totals = Totals { acked: 1_234_567 + lost, ok: 1_234_567, missing: lost, ..Totals::default() };
    let events = EventTotals { rows: totals.acked, acked: totals.acked, ..EventTotals::default() };
    let one = |id: &String| difference(flow_name, Some(consumer_name), Kind::Missing, id, Status::New);
    let mut flow = flow(flow_name, vec![consumer(consumer_name, Some(totals))], events);
    if let Some(life) = &mut flow.life {
        life.new = lost;
    }
    run(vec![flow], ids.iter().map(one).collect())
}

/// Ids that are as long as UUIDs.
pub fn ids(count: usize) -> Vec<String> {
    (0..count).map(|number| format!("019{number:05x}-7c1e-7b2a-9f00-{number:012x}")).collect()
}

fn rich_points() -> Totals {
    Totals {
        acked: 412_308,
        ok: 412_285,
        late: 4,
        duplicate: 3,
        duplicate_records: 6,
        dead_lettered: 2,
        missing: 12,
        in_flight: 2,
        ..Totals::default()
    }
}

fn rich_differences() -> Vec<Difference> {
    let of = |kind, count: usize, status| {
        let one = move |number| {
            difference("order-paid", Some("points"), kind, &format!("20260302{:06}", number * 7_919), status)
        };
        (1..=count).map(one).collect::<Vec<_>>()
    };
    [
        of(Kind::Missing, 9, Status::New),
        of(Kind::Missing, 3, Status::Open),
        of(Kind::DeadLettered, 2, Status::New),
        of(Kind::Duplicate, 3, Status::New),
        of(Kind::Late, 4, Status::Resolved),
        vec![difference("order-paid", None, Kind::Stuck, "20260302999999", Status::Acknowledged)],
    ]
    .concat()
}

/// A bit of everything: a day as somebody may meet it.
pub fn rich() -> Run {
    let all_well = Totals { acked: 412_308, ok: 412_306, in_flight: 2, ..Totals::default() };
    let consumers = vec![
        consumer("points", Some(rich_points())),
        consumer("stock", Some(all_well)),
        consumer("sms", None),
    ];
    let events =
        EventTotals { rows: 412_312, acked: 412_308, pending: 3, stuck: 1, ..EventTotals::default() };
    let mut orders = flow("order-paid", consumers, events);
    orders.acknowledged = vec![Acknowledged { consumer: None, kind: Kind::Stuck, count: 1 }];
    let mut backlog = Backlog::default();
    backlog.add(Some(as_of().plus(-25 * MINUTE)), as_of());
    orders.backlog = Some(backlog);
    let life = orders.life.as_mut().unwrap();
    (life.new, life.still_open, life.acknowledged, life.resolved, life.due) = (14, 3, 1, 6, 2);
    let refunds = Totals { acked: 3_120, ok: 3_120, ..Totals::default() };
    let refunds = flow(
        "refund-done",
        vec![consumer("ledger", Some(refunds))],
        EventTotals { rows: 3_120, acked: 3_120, ..EventTotals::default() },
    );
    let mut run = run(vec![orders, refunds], rich_differences());
    run.problems = vec![Problem {
        source: "sms_db".to_owned(),
        flow: Some("order-paid".to_owned()),
        message: "cannot connect to sms-db.example.test:5432: connection refused; start it or mend `url`"
            .to_owned(),
    }];
    run
}

/// Nothing differs.
pub fn quiet() -> Run {
    let totals = Totals { acked: 1_234_567, ok: 1_234_567, ..Totals::default() };
    let events = EventTotals { rows: totals.acked, acked: totals.acked, ..EventTotals::default() };
    let consumers = vec![consumer("points", Some(totals)), consumer("stock", Some(totals))];
    run(vec![flow("order-paid", consumers, events)], Vec::new())
}

pub fn alert(
    run: &Run,
    consumer: Option<&str>,
    metric: &str,
    level: Verdict,
    value: &str,
    bound: &str,
) -> Alert {
    Alert {
        key: AlertKey {
            flow: run.flows[0].name.clone(),
            consumer: consumer.map(str::to_owned),
            metric: metric.to_owned(),
        },
        state: AlertState::Firing,
        level,
        value: value.to_owned(),
        bound: bound.to_owned(),
        since: run.as_of.plus(-6 * HOUR),
        held: 6,
        seen_at: run.as_of,
        seen_from: run.span.from,
        seen_until: run.span.until,
        told_at: None,
        told_level: None,
        told_ahead: 0,
        cleared_at: None,
        silenced: None,
    }
}

/// A digest of the whole run.
pub fn report(run: &Run, occasion: Occasion) -> Digest {
    Digest {
        key: format!("{}-0a1b2c3d", run.id),
        run: run.id.clone(),
        as_of: run.as_of,
        span: run.span,
        owner: None,
        flows: run.flows.iter().map(|flow| flow.name.clone()).collect(),
        occasion,
        notices: Vec::new(),
        firing: Vec::new(),
        cleared: Vec::new(),
        outcome: run.outcome,
        verdict: run.verdict,
        complete: run.complete,
        exit_code: run.exit_code,
    }
}

/// The alert that missing messages make.
pub fn alarm(run: &Run) -> Digest {
    let lost = run.differences_total.to_string();
    let consumer = run.flows[0].consumers[0].name.clone();
    let missing = alert(run, Some(&consumer), "missing", Verdict::Fail, &lost, "1");
    let fresh = run.differences_total;
    let notices = vec![Notice { event: Event::New, alert: missing.clone(), fresh }];
    Digest { notices, firing: vec![missing], ..report(run, Occasion::Alert) }
}

/// What the rich run makes of its alerts.
pub fn rich_alarm(run: &Run) -> Digest {
    let points = Some("points");
    let missing = alert(run, points, "missing", Verdict::Fail, "12 (0.0029 %)", "1");
    let parked = alert(run, points, "dead_lettered", Verdict::Warn, "2", "1");
    let late = alert(run, points, "latency_p99", Verdict::Warn, "1m 12s", "30s");
    let skew = alert(run, points, "clock_skew", Verdict::Warn, "0.4s", "2s");
    let silence =
        Silenced { reason: "relay is being moved, CHG-1204".to_owned(), until: run.as_of.plus(DAY) };
    let stuck = Alert { silenced: Some(silence), ..alert(run, None, "stuck", Verdict::Warn, "1", "1") };
    let notice = |event, alert: &Alert, fresh| Notice { event, alert: alert.clone(), fresh };
    Digest {
        notices: vec![
            notice(Event::Grown, &missing, 9),
            notice(Event::New, &parked, 2),
            notice(Event::Cleared, &skew, 0),
        ],
        firing: vec![missing, parked, late, stuck],
        ..report(run, Occasion::Alert)
    }
}

/// Two alerts that are well again.
pub fn resolved(run: &Run) -> Digest {
    let missing = alert(run, Some("points"), "missing", Verdict::Fail, "0", "1");
    let stuck = alert(run, None, "stuck", Verdict::Warn, "0", "1");
    let cleared = vec![missing, stuck];
    let notices =
        cleared.iter().map(|alert| Notice { event: Event::Cleared, alert: alert.clone(), fresh: 0 });
    Digest { notices: notices.collect(), cleared, ..report(run, Occasion::Alert) }
}
