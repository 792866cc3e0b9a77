//! What the runs that are killed read: sixty hours of messages in two flows, with faults of every kind in many windows.

use crate::rng::Rng;
use crate::world::{Place, at};
use msgrecon::config::Dialect;
use msgrecon::model::Micros;
use msgrecon::model::time::{HOUR, MINUTE, SECOND};
use std::ops::Range;

/// The first window's begin, where scheduled runs begin.
pub const START: &str = "2026-03-02T00:00:00Z";
/// Windows that an earlier run has judged, where there was one ...
pub const EARLIER: usize = 10;
/// ... and windows in all.
pub const WINDOWS: usize = 60;
/// As-of of the earlier run: its last window is just settled.
pub const EARLIER_AS_OF: &str = "2026-03-02T10:20:00Z";
/// As-of of the catch-up.
pub const AS_OF: &str = "2026-03-04T12:20:00Z";

/// Messages of each flow in each window.
const MESSAGES: i64 = 3;
/// So many rows go into one statement.
const ROWS: usize = 400;

/// What becomes of a message.
#[derive(Clone, Copy, PartialEq)]
enum Fate {
    Consumed,
    Late,
    Lost,
    Twice,
    Parked,
    WrittenOff,
    Unknown,
    Stuck,
    Failed,
    AckLost,
}

const FATES: [(u64, Fate); 10] = [
    (70, Fate::Consumed),
    (5, Fate::Late),
    (5, Fate::Lost),
    (4, Fate::Twice),
    (4, Fate::Parked),
    (2, Fate::WrittenOff),
    (3, Fate::Unknown),
    (3, Fate::Stuck),
    (2, Fate::Failed),
    (2, Fate::AckLost),
];

/// Two SQLite files, and the rows that come into them after the earlier run.
pub struct Shop {
    pub producer: Place,
    pub consumer: Place,
    later: [Vec<String>; 2],
}

/// Rows by table.
#[derive(Default)]
struct Rows {
    events: Vec<String>,
    consumed: Vec<String>,
    inbox: Vec<String>,
    dead: Vec<String>,
    /// Statements: what mends.
    mended_events: Vec<String>,
    mended: Vec<String>,
}

impl Shop {
    /// What is there at the time of the earlier run.
    pub async fn new(seed: u64) -> Self {
        let (producer, consumer) =
            (Place::new(Dialect::Sqlite).await.unwrap(), Place::new(Dialect::Sqlite).await.unwrap());
        let mut rng = Rng::new(seed);
        let (early, late) = (rows(&mut rng, 0..EARLIER), rows(&mut rng, EARLIER..WINDOWS));
        let mut statements = vec![
            "CREATE TABLE event (topic TEXT NOT NULL, msg_id TEXT NOT NULL PRIMARY KEY, status TEXT NOT NULL, \
             created_at TIMESTAMP NOT NULL, sent_at TIMESTAMP NULL)"
                .to_owned(),
            "CREATE INDEX event_sent_at ON event (sent_at)".to_owned(),
            "CREATE INDEX event_created_at ON event (created_at)".to_owned(),
        ];
        statements.extend(early.at_producer());
        producer.execute(&statements).await;
        let mut statements = vec![
            "CREATE TABLE consumed_message (consumer TEXT NOT NULL, msg_id TEXT NOT NULL, consumed_at TIMESTAMP NOT NULL)"
                .to_owned(),
            "CREATE INDEX consumed_msg_id ON consumed_message (msg_id)".to_owned(),
            "CREATE INDEX consumed_at ON consumed_message (consumed_at)".to_owned(),
            "CREATE TABLE inbox (consumer TEXT NOT NULL, msg_id TEXT NOT NULL, consumed_at TIMESTAMP NOT NULL, \
             PRIMARY KEY (consumer, msg_id))"
                .to_owned(),
            "CREATE INDEX inbox_consumed_at ON inbox (consumed_at)".to_owned(),
            "CREATE TABLE dead_letter (consumer TEXT NOT NULL, msg_id TEXT NOT NULL, failed_at TIMESTAMP NOT NULL, \
             discarded_at TIMESTAMP NULL, error TEXT NOT NULL)"
                .to_owned(),
            "CREATE INDEX dead_msg_id ON dead_letter (msg_id)".to_owned(),
        ];
        statements.extend(early.at_consumer());
        consumer.execute(&statements).await;
        let mut later = [late.at_producer(), late.at_consumer()];
        later[0].extend(early.mended_events);
        later[1].extend(early.mended);
        Self { producer, consumer, later }
    }

    /// What comes after the earlier run: the other windows, and receipts and acks of messages that it found lost or stuck.
    pub async fn go_on(&self) {
        self.producer.execute(&self.later[0]).await;
        self.consumer.execute(&self.later[1]).await;
    }

    /// The configuration with this ledger: `orders` has receipts that may repeat, `refunds` has not.
    pub fn config(&self, ledger: &str) -> String {
        let events = |topic: &str| {
            format!(
                "window = \"1h\"\ngrace = \"15m\"\nlate_after = \"5m\"\nstuck_after = \"10m\"\nrecheck = \"24h\"\nstart = \"{START}\"\n\
                 [flows.events]\ndatabase = \"p\"\ntable = \"event\"\nwhere = \"topic = '{topic}'\"\nid = \"msg_id\"\n\
                 created_at = \"created_at\"\nacked_at = \"sent_at\"\nacked = \"status = 'acked'\"\n\
                 pending = \"status = 'pending'\"\nfailed = \"status = 'failed'\"\n"
            )
        };
        let consumer = |name: &str, table: &str| {
            format!(
                "[[flows.consumers]]\nname = \"{name}\"\ndatabase = \"c\"\ntable = \"{table}\"\nconsumer = \"consumer\"\n\
                 id = \"msg_id\"\nconsumed_at = \"consumed_at\"\n[flows.consumers.dead_letters]\ntable = \"dead_letter\"\n\
                 where = \"consumer = '{name}'\"\nid = \"msg_id\"\ndead_at = \"failed_at\"\n\
                 closed = \"discarded_at IS NOT NULL\"\nreason = \"error\"\n"
            )
        };
        format!(
            "[ledger]\nurl = '{ledger}'\n{}{}[[flows]]\nname = \"orders\"\n{}{}{}[[flows]]\nname = \"refunds\"\n{}{}",
            self.producer.toml("p"),
            self.consumer.toml("c"),
            events("orders"),
            consumer("points", "consumed_message"),
            consumer("mailer", "consumed_message"),
            events("refunds"),
            consumer("books", "inbox"),
        )
    }
}

fn inserts(table: &str, rows: &[String]) -> Vec<String> {
    rows.chunks(ROWS).map(|rows| format!("INSERT INTO {table} VALUES {}", rows.join(", "))).collect()
}

impl Rows {
    fn at_producer(&self) -> Vec<String> {
        inserts("event", &self.events)
    }

    fn at_consumer(&self) -> Vec<String> {
        let tables =
            [("consumed_message", &self.consumed), ("inbox", &self.inbox), ("dead_letter", &self.dead)];
        tables.into_iter().flat_map(|(table, rows)| inserts(table, rows)).collect()
    }
}

fn rows(rng: &mut Rng, windows: Range<usize>) -> Rows {
    let (mut rows, start) = (Rows::default(), at(START));
    for window in windows {
        for nr in 0..MESSAGES {
            let from = start.plus(i64::try_from(window).unwrap() * HOUR);
            let created = from.plus(nr * HOUR / MESSAGES + rng.between(0, HOUR / MESSAGES - MINUTE));
            message(rng, &mut rows, "orders", &format!("o{window:02}-{nr}"), created, window < EARLIER);
            message(rng, &mut rows, "refunds", &format!("r{window:02}-{nr}"), created, window < EARLIER);
        }
    }
    rows
}

fn message(rng: &mut Rng, rows: &mut Rows, topic: &str, id: &str, created: Micros, early: bool) {
    let fate = rng.weighted(&FATES);
    let (state, acked) = match fate {
        Fate::Stuck | Fate::AckLost => ("pending", None),
        Fate::Failed => ("failed", None),
        _ => ("acked", Some(created.plus(SECOND))),
    };
    if fate != Fate::Unknown {
        rows.events.push(format!("('{topic}', '{id}', '{state}', {}, {})", time(Some(created)), time(acked)));
    }
    // Half of what differs in the early windows is well by the time of the catch-up.
    let mends = early && rng.chance(50);
    if fate == Fate::Stuck && mends {
        let sent = time(Some(at(EARLIER_AS_OF).plus(HOUR)));
        rows.mended_events
            .push(format!("UPDATE event SET status = 'acked', sent_at = {sent} WHERE msg_id = '{id}'"));
    }
    let names: &[&str] = if topic == "orders" { &["points", "mailer"] } else { &["books"] };
    for name in names {
        consumer(rows, name, id, fate, created, mends);
    }
}

fn consumer(rows: &mut Rows, name: &str, id: &str, fate: Fate, created: Micros, mends: bool) {
    let keyed = name == "books";
    let table = if keyed { &mut rows.inbox } else { &mut rows.consumed };
    let receipt = |after: i64| format!("('{name}', '{id}', {})", time(Some(created.plus(after))));
    match fate {
        Fate::Late => table.push(receipt(10 * MINUTE)),
        Fate::Twice if !keyed => table.extend([receipt(2 * SECOND), receipt(MINUTE)]),
        Fate::Consumed | Fate::Twice | Fate::Unknown | Fate::AckLost => table.push(receipt(2 * SECOND)),
        Fate::Lost | Fate::Stuck if mends => {
            let table = if keyed { "inbox" } else { "consumed_message" };
            rows.mended.push(format!("INSERT INTO {table} VALUES {}", receipt(13 * HOUR)));
        }
        Fate::Parked | Fate::WrittenOff => {
            let closed = (fate == Fate::WrittenOff).then(|| created.plus(2 * MINUTE));
            let failed = time(Some(created.plus(MINUTE)));
            rows.dead.push(format!("('{name}', '{id}', {failed}, {}, 'timeout')", time(closed)));
        }
        Fate::Lost | Fate::Stuck | Fate::Failed => {}
    }
}

/// As a literal.
fn time(at: Option<Micros>) -> String {
    at.map_or("NULL".to_owned(), |at| format!("'{}'", at.to_utc().format("%Y-%m-%d %H:%M:%S%.6f")))
}
