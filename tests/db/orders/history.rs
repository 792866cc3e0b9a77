//! Random histories of messages: what is written when, by whom, and what it means for the windows.

use crate::rng::Rng;
use msgrecon::model::Micros;
use msgrecon::model::time::{DAY, HOUR, MINUTE, SECOND};

pub const CONSUMERS: [&str; 2] = ["points", "mailer"];

/// The state of an event row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EventRow {
    pub state: &'static str,
    pub created: Micros,
    /// `Some(None)`: a zero date.
    #[expect(clippy::option_option, reason = "none, one that is no time, and a time are three things")]
    pub acked: Option<Option<Micros>>,
}

/// One statement of somebody.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Change {
    Event(EventRow),
    EventGone,
    Receipt { consumer: usize, at: Micros, redriven: bool },
    ReceiptGone { consumer: usize },
    Dead { consumer: usize, at: Micros },
    Closed { consumer: usize, at: Micros },
}

/// A message as it stands.
#[derive(Clone, Debug, Default)]
pub struct Message {
    pub id: String,
    event: Option<EventRow>,
    receipts: [Vec<(Micros, bool)>; 2],
    dead: [Option<Micros>; 2],
    /// What is still to come, with the instant at which it is written; in order.
    pub script: Vec<(Micros, Change)>,
}

impl Message {
    /// The instants that assign its windows, at the producer and at the consumers.
    pub fn homes(&self) -> Vec<Micros> {
        if let Some(event) = self.event {
            return vec![event.acked.flatten().unwrap_or(event.created)];
        }
        let first = |consumer: usize| {
            let receipts = self.receipts[consumer].iter().map(|(at, _)| *at);
            receipts.min().or(self.dead[consumer])
        };
        (0..CONSUMERS.len()).filter_map(first).collect()
    }

    /// Takes the next change; gives its statement, and whether that is the producer's.
    pub fn take(&mut self, change: Change) -> (bool, String) {
        let id = self.id.clone();
        match change {
            Change::Event(row) => {
                self.event = Some(row);
                let acked = row
                    .acked
                    .map_or("NULL".to_owned(), |at| at.map_or("'0000-00-00 00:00:00'".to_owned(), time));
                let created = time(row.created);
                (
                    true,
                    format!(
                        "INSERT OR REPLACE INTO event VALUES ('{id}', '{}', {created}, {acked})",
                        row.state
                    ),
                )
            }
            Change::EventGone => {
                self.event = None;
                (true, format!("DELETE FROM event WHERE msg_id = '{id}'"))
            }
            Change::Receipt { consumer, at, redriven } => {
                self.receipts[consumer].push((at, redriven));
                let (name, at) = (CONSUMERS[consumer], time(at));
                let (own, original) = if redriven {
                    (format!("{id}-again"), format!("'{id}'"))
                } else {
                    (id, "NULL".to_owned())
                };
                (false, format!("INSERT INTO consumed_message VALUES ('{name}', '{own}', {original}, {at})"))
            }
            Change::ReceiptGone { consumer } => {
                let (at, redriven) = self.receipts[consumer].pop().unwrap();
                let own = if redriven { format!("{id}-again") } else { id };
                let (name, at) = (CONSUMERS[consumer], time(at));
                let one = format!("consumer = '{name}' AND msg_id = '{own}' AND consumed_at = {at}");
                (false, format!("DELETE FROM consumed_message WHERE {one}"))
            }
            Change::Dead { consumer, at } => {
                self.dead[consumer] = Some(at);
                let (name, at) = (CONSUMERS[consumer], time(at));
                (false, format!("INSERT INTO dead_letter VALUES ('{name}', '{id}', {at}, NULL, 'timeout')"))
            }
            Change::Closed { consumer, at } => {
                let (name, at) = (CONSUMERS[consumer], time(at));
                let of = format!("consumer = '{name}' AND msg_id = '{id}'");
                (false, format!("UPDATE dead_letter SET discarded_at = {at} WHERE {of}"))
            }
        }
    }
}

fn time(at: Micros) -> String {
    format!("'{}'", at.to_utc().format("%Y-%m-%d %H:%M:%S%.6f"))
}

/// A message that is made at `created`; `keyed` says that a consumer can have one receipt of it only.
pub fn message(rng: &mut Rng, nr: usize, created: Micros, keyed: bool) -> Message {
    let mut message = Message { id: format!("m{nr}"), ..Message::default() };
    let acked = created.plus(rng.pick(&[SECOND, SECOND, MINUTE, 9 * MINUTE, 3 * HOUR, 30 * HOUR]));
    producer(rng, &mut message.script, created, acked);
    for consumer in 0..CONSUMERS.len() {
        consume(rng, &mut message.script, consumer, acked, keyed);
    }
    // In the order in which it is written; what is written at the same time, in the order in which it was thought of.
    message.script.sort_by_key(|(at, _)| *at);
    message
}

/// How long after it happened something is written.
fn delay(rng: &mut Rng) -> i64 {
    rng.weighted(&[(8, 0), (2, 20 * MINUTE), (2, 2 * HOUR), (2, 7 * HOUR), (3, 20 * HOUR), (3, 3 * DAY)])
}

fn producer(rng: &mut Rng, script: &mut Vec<(Micros, Change)>, created: Micros, acked: Micros) {
    let row = |state, acked| Change::Event(EventRow { state, created, acked });
    let (done, seen) = (row("acked", Some(Some(acked))), acked.plus(delay(rng)));
    match rng.below(20) {
        // A receipt without an event, until it is committed, if ever.
        0 => {}
        1 | 2 => script.push((seen.plus(delay(rng)), done)),
        // An ack whose time is damaged, and mended.
        3 => {
            script.push((acked, row("acked", Some(None))));
            script.push((seen.plus(HOUR), done));
        }
        // It fails, and is armed again.
        4 => {
            script.push((created, row("pending", None)));
            script.push((created.plus(MINUTE), row("failed", None)));
            script.push((seen.plus(MINUTE), done));
        }
        // It is never acked.
        5 => script.push((created, row("pending", None))),
        6 => {
            script.push((created, row("pending", None)));
            script.push((acked, done));
            script.push((acked.plus(rng.between(0, 3 * DAY)), Change::EventGone));
        }
        _ => {
            script.push((created, row("pending", None)));
            script.push((seen, done));
        }
    }
}

fn consume(rng: &mut Rng, script: &mut Vec<(Micros, Change)>, consumer: usize, acked: Micros, keyed: bool) {
    let at = acked.plus(rng.pick(&[-SECOND, SECOND, SECOND, MINUTE, 70 * MINUTE, 5 * HOUR]));
    let later = at.plus(rng.between(MINUTE, 4 * DAY));
    let receipt = |at, redriven| Change::Receipt { consumer, at, redriven };
    match rng.below(16) {
        0 => {}
        // Lost, and mended later, under the old id or a new one.
        1 | 2 => script.push((later, receipt(later, rng.chance(30)))),
        // Given up; then written off, driven again, or both, or left.
        3 | 4 => {
            script.push((at, Change::Dead { consumer, at }));
            if rng.chance(50) {
                script.push((later, receipt(later, rng.chance(30))));
            }
            if rng.chance(50) {
                let closed = later.plus(rng.pick(&[-30 * SECOND, 0, HOUR]));
                script.push((closed, Change::Closed { consumer, at: closed }));
            }
        }
        // Twice, and perhaps once again.
        5 if !keyed => {
            let second = at.plus(rng.pick(&[SECOND, HOUR, 9 * HOUR]));
            script.push((at, receipt(at, false)));
            script.push((second, receipt(second, false)));
            if rng.chance(40) {
                script.push((later.max(second), Change::ReceiptGone { consumer }));
            }
        }
        _ => script.push((at.plus(delay(rng)), receipt(at, false))),
    }
}
