//! Many messages over many slices, with differences of every kind among them.

use super::{AS_OF, unlike};
use crate::sketch::{servers, strategies};
use crate::world::{Flow, Place, at, brief, run_day, totals};
use msgrecon::model::Micros;
use msgrecon::model::id::uuid_text;
use msgrecon::model::run::Strategy;
use msgrecon::model::time::{HOUR, MINUTE, SECOND};
use msgrecon::story::{DeadLine, EventLine, Half, ReceiptLine, Story};

const MESSAGES: i64 = 12_000;
/// In each of so many messages one of every kind is planted.
const EACH: i64 = 500;
const DAY: &str = "2026-03-02";

/// A UUID, a number, or a word.
fn name(number: i64) -> String {
    match number % 5 {
        0 => number.to_string(),
        1 => format!("Bestellung ü {number}"),
        _ => uuid_text(&(u128::from(number.unsigned_abs()) * 0x9e37_79b9_7f4a_7c15_f39c_c060).to_be_bytes()),
    }
}

fn event(id: String, state: &str, created: Micros, acked: Option<Micros>) -> EventLine {
    EventLine {
        id: Some(id),
        state: state.to_owned(),
        created: Some(created),
        acked,
        attempts: 1,
        sort: "paid".to_owned(),
    }
}

fn receipt(id: String, whose: &str, consumed: Micros) -> ReceiptLine {
    ReceiptLine { id: Some(id), consumer: whose.to_owned(), consumed: Some(consumed), original: None }
}

fn dead(id: String, dead: Micros, closed: bool) -> DeadLine {
    let closed = closed.then(|| dead.plus(MINUTE));
    DeadLine { id, consumer: "billing".to_owned(), dead, closed, reason: "no such customer".to_owned() }
}

/// The mailer has every receipt of an acked event.
fn story() -> Story {
    let midnight = at("2026-03-02T00:00:00Z");
    let mut story = Story::default();
    for number in 0..MESSAGES {
        let created = midnight.plus(number * 86_000 * SECOND / MESSAGES + number % 1_000_000);
        let (acked, seen) = (created.plus(SECOND), created.plus(3 * SECOND));
        let id = || name(number);
        let kind = number % EACH;
        let state = match kind {
            7 | 8 => "pending",
            9 => "failed",
            _ => "acked",
        };
        story.events.push(event(id(), state, created, (state == "acked").then_some(acked)));
        if state == "acked" {
            story.receipts.push(receipt(id(), "mailer", seen));
        }
        let consumed = match kind {
            1 | 3 | 6 | 8 | 9 => None,
            2 => Some(acked.plus(3 * HOUR)),
            11 => Some(acked.plus(-2 * MINUTE)),
            12 => Some(acked.plus(20 * HOUR).min(at("2026-03-03T05:00:00Z"))),
            _ => Some(seen),
        };
        story.receipts.extend(consumed.map(|consumed| receipt(id(), "billing", consumed)));
        if (3..=6).contains(&kind) {
            story.dead_letters.push(dead(id(), seen, kind > 4));
        }
        if kind == 20 {
            story.receipts.push(receipt(format!("orphan {number}"), "billing", seen));
        }
        if kind == 21 {
            let before = midnight.plus(-number - SECOND);
            let id = format!("of yesterday {number}");
            story.events.push(event(id.clone(), "acked", before, Some(before)));
            story.receipts.push(receipt(id.clone(), "billing", midnight.plus(number)));
            story.receipts.push(receipt(id, "mailer", midnight.plus(number)));
        }
    }
    story
}

fn toml(producer: &Place, consumer: &Place, strategy: &str) -> String {
    let mut flow = Flow { consumers: vec!["billing", "mailer"], ..Flow::default() };
    flow.rules = format!("strategy = \"{strategy}\"\n{}", flow.rules);
    let flow = flow.toml().replace("original_id = \"original_id\"\n", "");
    producer.toml("p") + &consumer.toml("c") + &flow
}

async fn agree(producer: &Place, consumer: &Place) {
    let pair = (producer.dialect, consumer.dialect);
    let streamed = run_day(&toml(producer, consumer, "stream"), DAY, AS_OF).await;
    let packed = run_day(&toml(producer, consumer, "packed"), DAY, AS_OF).await;
    assert_eq!(strategies(&packed), [Strategy::Packed; 2], "{pair:?} {:?}", packed.flows[0].hints);
    assert_eq!(strategies(&streamed), [Strategy::Stream; 2], "{pair:?}");
    let (each, found) = ((MESSAGES / EACH).unsigned_abs(), totals(&packed, "billing"));
    let planted = [found.missing, found.orphan, found.dead_lettered, found.discarded, found.ack_lost];
    assert_eq!(planted, [each; 5], "{pair:?} {:?}", brief(&packed));
    assert!(found.late > each && found.late <= 2 * each, "{pair:?} {}", found.late);
    let mailer = totals(&packed, "mailer");
    assert_eq!((mailer.ok, mailer.differences()), (MESSAGES.unsigned_abs() - 3 * each, 0), "{pair:?}");
    let wrong = unlike(streamed, packed);
    assert!(wrong.is_empty(), "{pair:?} {wrong:#?}");
}

#[tokio::test]
async fn differences_of_every_kind_are_told_alike_whether_rows_are_packed_or_not() {
    let (places, story) = (servers().await, story());
    for place in &places {
        place.tell(&story, Half::Producer, true).await;
        place.tell(&story, Half::Consumer, true).await;
    }
    for producer in &places {
        for consumer in &places {
            agree(producer, consumer).await;
        }
    }
    for place in places {
        place.remove().await;
    }
}
