//! Whatever the order of runs, the ledger comes to the same end: scheduled runs, runs by hand, rows that come late.

mod history;
mod keeper;

use crate::rng::Rng;
use crate::world::{Place, load};
use history::{CONSUMERS, Change, Message, message};
use keeper::{Keeper, Outcome};
use msgrecon::config::{Config, Dialect};
use msgrecon::model::time::{DAY, HOUR, MINUTE};
use msgrecon::model::window::{holding, local_date, local_midnight};
use msgrecon::model::{Difference, Micros, Run};
use msgrecon::plan::{Edge, Request, plan};
use msgrecon::reconcile::reconcile;
use std::collections::BTreeSet;
use std::fmt::Write as _;

const CASES: u64 = 60;
const FIRST_SEED: u64 = 5_080;
const ZONES: [(&str, &str); 4] = [
    ("UTC", "2026-03-02"),
    ("Asia/Shanghai", "2026-03-02"),
    ("Europe/Berlin", "2026-03-28"),
    ("America/Havana", "2026-10-31"),
];

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).map_or(default, |text| text.parse().unwrap_or_else(|_| panic!("{name}={text}")))
}

/// One history, and the runs over it.
struct Case {
    producer: Place,
    consumer: Place,
    config: Config,
    begin: Micros,
    /// As-of and range of each run; `None`: what is due.
    runs: Vec<(Micros, Option<Request>)>,
    messages: Vec<Message>,
    /// What happened, to be shown when it ends wrong.
    told: String,
}

impl Case {
    async fn new(seed: u64) -> Self {
        let mut rng = Rng::new(seed);
        let (zone, day) = rng.pick(&ZONES);
        let keyed = rng.chance(40);
        let (producer, consumer) = tables(keyed).await;
        let config = config(&mut rng, zone, day, &producer, &consumer);
        let begin = local_midnight(day.parse().unwrap(), config.time_zone);
        let runs = runs(&mut rng, &config, begin);
        let end = runs.last().unwrap().0;
        let count = 10 + rng.below(50);
        let messages = (0..count).map(|nr| {
            let created = begin.plus(rng.between(0, end.since(begin)));
            message(&mut rng, nr, created, keyed)
        });
        let messages = messages.collect();
        let flow = &config.flows[0];
        let told = format!(
            "seed {seed}, {zone}, keyed {keyed}, window {} min, recheck {} h\n",
            flow.window / MINUTE,
            flow.recheck / HOUR
        );
        Self { producer, consumer, config, begin, runs, messages, told }
    }

    /// Writes what is written up to the run at this place. What a scheduled run could not see any more is not written:
    /// only messages that are open differences may change at any time.
    async fn write(&mut self, place: usize, keeper: &Keeper) {
        let (as_of, flow) = (self.runs[place].0, self.config.flows[0].clone());
        let scheduled = self.runs[place..].iter().find(|(_, request)| request.is_none()).unwrap().0;
        let (judged, open) = (keeper.judged().await, keeper.open().await);
        let zone = self.config.time_zone;
        // Never judged, young still, or judged only while it was young: the next scheduled run looks at it.
        let seen = |home: &Micros| {
            let window = holding(*home, flow.window, zone).0;
            let known = judged.iter().find(|(span, _)| *span == window);
            known.is_none_or(|(_, last)| last.min(&scheduled).since(window.until) < flow.recheck)
        };
        let mut statements = [Vec::new(), Vec::new()];
        for message in &mut self.messages {
            while let Some((at, change)) = message.script.first().copied().filter(|(at, _)| *at <= as_of) {
                let mut after = message.clone();
                let (producer, statement) = after.take(change);
                let homes: Vec<_> = message.homes().into_iter().chain(after.homes()).collect();
                if !is_open(&open, &message.id, change) && !homes.iter().all(seen) {
                    message.script.clear();
                    break;
                }
                let _ = writeln!(self.told, "  {at} {statement}");
                statements[usize::from(!producer)].push(statement);
                after.script.remove(0);
                *message = after;
            }
        }
        self.producer.execute(&statements[0]).await;
        self.consumer.execute(&statements[1]).await;
    }

    /// All runs in their order, on one ledger.
    async fn play(&mut self) -> Keeper {
        let mut keeper = Keeper::new(&self.config);
        for (place, (as_of, request)) in self.runs.clone().into_iter().enumerate() {
            self.write(place, &keeper).await;
            let _ = writeln!(self.told, "run as of {as_of}: {request:?}");
            keeper.run(request.as_ref(), as_of).await;
        }
        keeper
    }
}

/// Whether the ledger looks at the message whatever its age: at the consumer that the change is of, or anywhere where it
/// is of the event. An event that goes leaves receipts as orphans, each a difference of its own.
fn is_open(open: &BTreeSet<(String, String)>, id: &str, change: Change) -> bool {
    let at = |consumer: &str| open.contains(&(consumer.to_owned(), id.to_owned()));
    match change {
        Change::Event(_) => at("") || CONSUMERS.into_iter().any(at),
        Change::EventGone => CONSUMERS.into_iter().all(at),
        Change::Receipt { consumer, .. }
        | Change::ReceiptGone { consumer }
        | Change::Dead { consumer, .. }
        | Change::Closed { consumer, .. } => at(CONSUMERS[consumer]),
    }
}

async fn tables(keyed: bool) -> (Place, Place) {
    let (producer, consumer) =
        (Place::new(Dialect::Sqlite).await.unwrap(), Place::new(Dialect::Sqlite).await.unwrap());
    producer
        .execute(&[
            "CREATE TABLE event (msg_id TEXT NOT NULL PRIMARY KEY, status TEXT NOT NULL, created_at TIMESTAMP NOT NULL, \
             sent_at TIMESTAMP NULL)",
            "CREATE INDEX event_sent_at ON event (sent_at)",
            "CREATE INDEX event_created_at ON event (created_at)",
        ])
        .await;
    let key = if keyed { ", PRIMARY KEY (consumer, msg_id)" } else { "" };
    let receipts = format!(
        "CREATE TABLE consumed_message (consumer TEXT NOT NULL, msg_id TEXT NOT NULL, original_id TEXT NULL, \
         consumed_at TIMESTAMP NOT NULL{key})"
    );
    consumer
        .execute(&[
            &receipts,
            "CREATE INDEX consumed_at ON consumed_message (consumed_at)",
            "CREATE INDEX consumed_msg_id ON consumed_message (msg_id)",
            "CREATE INDEX consumed_original_id ON consumed_message (original_id)",
            "CREATE TABLE dead_letter (consumer TEXT NOT NULL, msg_id TEXT NOT NULL, failed_at TIMESTAMP NOT NULL, \
             discarded_at TIMESTAMP NULL, error TEXT NOT NULL, PRIMARY KEY (consumer, msg_id))",
        ])
        .await;
    (producer, consumer)
}

fn config(rng: &mut Rng, zone: &str, day: &str, producer: &Place, consumer: &Place) -> Config {
    let window = rng.pick(&["1h", "1h", "5h", "1d"]);
    let recheck = rng.pick(&["3h", "6h", "24h", "24h", "48h"]);
    let late = rng.pick(&["", "late_after = \"1h\"\n"]);
    let start = local_midnight(day.parse().unwrap(), zone.parse().unwrap());
    let mut text = format!(
        "time_zone = \"{zone}\"\n{}{}[[flows]]\nname = \"orders\"\nwindow = \"{window}\"\ngrace = \"15m\"\nstuck_after = \"10m\"\n\
         recheck = \"{recheck}\"\nstart = \"{start}\"\n{late}[flows.events]\ndatabase = \"p\"\ntable = \"event\"\nid = \"msg_id\"\n\
         created_at = \"created_at\"\nacked_at = \"sent_at\"\nacked = \"status = 'acked'\"\npending = \"status = 'pending'\"\n\
         failed = \"status = 'failed'\"\n",
        producer.toml("p"),
        consumer.toml("c")
    );
    for name in CONSUMERS {
        let _ = write!(
            text,
            "[[flows.consumers]]\nname = \"{name}\"\ndatabase = \"c\"\ntable = \"consumed_message\"\nconsumer = \"consumer\"\n\
             id = \"msg_id\"\noriginal_id = \"original_id\"\nconsumed_at = \"consumed_at\"\n[flows.consumers.dead_letters]\n\
             table = \"dead_letter\"\nwhere = \"consumer = '{name}'\"\nid = \"msg_id\"\ndead_at = \"failed_at\"\n\
             closed = \"discarded_at IS NOT NULL\"\nreason = \"error\"\n"
        );
    }
    load(&text)
}

/// Runs at growing as-ofs, some of them twice; the last is a scheduled one.
fn runs(rng: &mut Rng, config: &Config, begin: Micros) -> Vec<(Micros, Option<Request>)> {
    let mut as_of = begin.plus(rng.between(0, 30 * HOUR));
    let mut runs = Vec::new();
    for _ in 0..2 + rng.below(6) {
        let request = rng.chance(45).then(|| request(rng, config, begin, as_of));
        runs.push((as_of, request));
        let wait = rng.pick(&[0, MINUTE, 40 * MINUTE, HOUR, 5 * HOUR, 11 * HOUR, DAY, 3 * DAY]);
        as_of = as_of.plus(wait);
    }
    runs.push((as_of.plus(rng.pick(&[0, HOUR, 9 * HOUR])), None));
    runs
}

fn request(rng: &mut Rng, config: &Config, begin: Micros, as_of: Micros) -> Request {
    let within = |rng: &mut Rng| begin.plus(rng.between(0, as_of.since(begin).max(1)));
    match rng.below(4) {
        0 => Request::Date(local_date(within(rng), config.time_zone)),
        1 => Request::Last(rng.pick(&[HOUR, 3 * HOUR, DAY])),
        aligned => {
            let (one, two) = (within(rng), within(rng));
            let edge = |at: Micros| match aligned {
                2 => Edge::At(at),
                _ => Edge::At(holding(at, config.flows[0].window, config.time_zone).0.from),
            };
            Request::Range(edge(one.min(two)), edge(one.max(two)))
        }
    }
}

/// What a report says that does not depend on how it was made.
fn facts(run: &Run) -> Vec<String> {
    let flow = &run.flows[0];
    let mut facts = vec![format!("{:?} {}", flow.events, run.differences_total)];
    facts.extend(flow.windows.iter().map(|window| format!("{window:?}")));
    for consumer in &flow.consumers {
        let counts = consumer.counts.as_ref().unwrap();
        facts.push(format!(
            "{} {:?} {:?} residual {}",
            consumer.name,
            counts.totals,
            counts.latency,
            counts.residual()
        ));
        facts.extend(counts.windows.iter().map(|window| format!("{} {window:?}", consumer.name)));
    }
    let of = |one: &Difference| {
        let times = (one.window_from, one.created_at, one.acked_at, one.consumed_at, one.age);
        format!("{:?} {:?} {:?} {times:?} {}", one.consumer, one.id, one.kind, one.detail)
    };
    facts.extend(run.differences.iter().map(of));
    facts
}

/// A scheduled run in slices, and the same span by hand in one.
async fn assert_slices_are_one(case: &Case, sliced: &Run) {
    if sliced.flows[0].windows.is_empty() {
        return;
    }
    let request = Request::Range(Edge::At(case.begin), Edge::At(sliced.span.until));
    let plan = plan(&case.config, &request, &[], sliced.as_of).unwrap();
    let whole = reconcile(&plan, &case.config, "test".to_owned(), &|_| {}).await;
    let (sliced, whole) = (facts(sliced), facts(&whole));
    let differ: Vec<_> = sliced.iter().zip(&whole).filter(|(one, other)| one != other).collect();
    assert!(differ.is_empty() && sliced.len() == whole.len(), "{}slices: {differ:#?}", case.told);
}

fn differ(name: &str, played: &[String], right: &[String]) -> Vec<String> {
    let lost = right.iter().filter(|row| !played.contains(row)).map(|row| format!("{name}, once:    {row}"));
    let strange =
        played.iter().filter(|row| !right.contains(row)).map(|row| format!("{name}, by turns: {row}"));
    lost.chain(strange).collect()
}

fn wrong(played: &Outcome, right: &Outcome) -> Vec<String> {
    let mut wrong = differ("flow", &played.flow, &right.flow);
    wrong.extend(differ("window", &played.windows, &right.windows));
    wrong.extend(differ("open", &played.open, &right.open));
    wrong.extend(differ("late", &played.late, &right.late));
    wrong
}

#[tokio::test]
async fn any_order_of_runs_comes_to_the_ledger_of_one_run_at_the_end() {
    let (cases, first) = (setting("MSGRECON_CASES", CASES), setting("MSGRECON_SEED", FIRST_SEED));
    eprintln!("MSGRECON_SEED={first} MSGRECON_CASES={cases}");
    let _ = tracing_subscriber::fmt().with_env_filter("warn").with_writer(std::io::stderr).try_init();
    let mut failed = 0;
    for seed in first..first + cases {
        let mut case = Case::new(seed).await;
        let played = case.play().await.outcome(case.begin).await;
        let mut once = Keeper::new(&case.config);
        let sliced = once.run(None, case.runs.last().unwrap().0).await.unwrap();
        let right = once.outcome(case.begin).await;
        assert_slices_are_one(&case, &sliced).await;
        let wrong = wrong(&played, &right);
        if !wrong.is_empty() {
            failed += 1;
            eprintln!("==== {}{}", case.told, wrong.join("\n"));
        }
    }
    assert_eq!(failed, 0);
}
