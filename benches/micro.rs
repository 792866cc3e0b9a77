//! The three steps that every row goes through, without a database: its id is decoded, paired and classified.
//!
//! ```sh
//! cargo bench --bench micro
//! ```
#![allow(clippy::unwrap_used, reason = "a benchmark fails by panicking")]

use divan::counter::ItemsCount;
use divan::{Bencher, black_box};
use msgrecon::classify::{Delivery, Facts, at_consumer};
use msgrecon::model::{Bulk, Id, Micros, Span, State};
use msgrecon::pair::{IdHash, Met, Pairing, Room, pair_up};
use msgrecon::plan::{ConsumerRules, FlowRules};

/// About a slice of each side.
const ROWS: u64 = 100_000;
const BEGIN: i64 = 1_772_409_600_000_000;

fn main() {
    divan::main();
}

/// The number scattered over 16 bytes, as a UUID is.
fn scattered(number: u64) -> [u8; 16] {
    let high = number.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31);
    let low = (high ^ number).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mut bytes = [0; 16];
    bytes[..8].copy_from_slice(&high.to_be_bytes());
    bytes[8..].copy_from_slice(&low.to_be_bytes());
    bytes
}

fn texts(from: u64) -> Vec<String> {
    (from..from + ROWS).map(|number| msgrecon::model::id::uuid_text(&scattered(number))).collect()
}

fn ids(from: u64) -> Vec<Id> {
    texts(from).iter().map(|text| Id::from_bytes(text.as_bytes())).collect()
}

fn instant(number: usize) -> Micros {
    Micros(BEGIN + i64::try_from(number).unwrap() * 1000)
}

fn acked(at: Micros) -> Facts {
    Facts { state: State::Acked, acked: Some(at), created: Some(at), rows: 1 }
}

mod decode {
    use super::{Bencher, Id, ItemsCount, ROWS, black_box, texts};

    #[divan::bench]
    fn uuid_as_text(bencher: Bencher) {
        let texts = texts(0);
        bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
            texts.iter().for_each(|text| drop(black_box(Id::from_bytes(black_box(text.as_bytes())))));
        });
    }

    #[divan::bench]
    fn uuid_in_any_spelling(bencher: Bencher) {
        let texts: Vec<_> = texts(0).iter().map(|text| text.to_uppercase()).collect();
        bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
            texts.iter().for_each(|text| drop(black_box(Id::from_uuid_text(black_box(text.as_bytes())))));
        });
    }

    #[divan::bench]
    fn other_text(bencher: Bencher) {
        let texts: Vec<_> = (0..ROWS).map(|number| format!("order-paid:{number:012}")).collect();
        bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
            texts.iter().for_each(|text| drop(black_box(Id::from_bytes(black_box(text.as_bytes())))));
        });
    }
}

mod pair {
    use super::{
        Bencher, Bulk, Id, IdHash, ItemsCount, Met, Pairing, ROWS, Room, acked, black_box, ids, instant,
        pair_up,
    };

    /// Events, then receipts in another order; what is left.
    fn pairing(events: &[Id], receipts: Vec<Id>) -> usize {
        let mut pairing = Pairing::new(true, None, Room::within(1 << 30, 1));
        for (at, id) in events.iter().enumerate() {
            black_box(pairing.event(id, acked(instant(at)), false));
        }
        for (at, id) in receipts.into_iter().enumerate() {
            black_box(pairing.receipt(id, Some(instant(at))));
        }
        pairing.close(false);
        pairing.take(None, &mut |_, _, _| {}).len()
    }

    fn bulk(ids: &[Id]) -> Bulk {
        let mut bulk = Bulk::default();
        for (at, id) in ids.iter().enumerate() {
            assert!(bulk.push_id(id, instant(at)));
        }
        bulk
    }

    /// A slice of both sides, as the short form brings it.
    #[divan::bench]
    fn slice(bencher: Bencher) {
        let (events, receipts) = (bulk(&ids(0)), bulk(&ids(0).into_iter().rev().collect::<Vec<_>>()));
        bencher.counter(ItemsCount::new(2 * ROWS)).bench_local(|| {
            let mut pairs = 0_u64;
            pair_up(&events, &receipts, &IdHash::default(), |met| {
                pairs += u64::from(matches!(met, Met::Pair(..)));
            });
            assert_eq!(black_box(pairs), ROWS);
        });
    }

    #[divan::bench]
    fn everything(bencher: Bencher) {
        let events = ids(0);
        let receipts = || ids(0).into_iter().rev().collect::<Vec<_>>();
        bencher
            .counter(ItemsCount::new(2 * ROWS))
            .with_inputs(receipts)
            .bench_local_values(|receipts| pairing(&events, receipts));
    }

    #[divan::bench]
    fn nothing(bencher: Bencher) {
        let events = ids(0);
        bencher
            .counter(ItemsCount::new(2 * ROWS))
            .with_inputs(|| ids(ROWS))
            .bench_local_values(|receipts| pairing(&events, receipts));
    }
}

mod classify {
    use super::{
        BEGIN, Bencher, ConsumerRules, Delivery, FlowRules, ItemsCount, Micros, ROWS, Span, acked,
        at_consumer, black_box, instant,
    };

    const MINUTE: i64 = 60_000_000;

    fn rules() -> (FlowRules, ConsumerRules) {
        let consumer = ConsumerRules {
            name: "points".to_owned(),
            source: "c".to_owned(),
            since: None,
            until: None,
            retention: None,
            receipt_ids_unique: true,
            selective: false,
            receipts_dated: true,
            fresh_until: None,
        };
        let flow = FlowRules {
            memory: msgrecon::model::memory::DEFAULT,
            name: "day".to_owned(),
            as_of: Micros(BEGIN + 30 * 60 * MINUTE),
            span: Span::new(Micros(BEGIN), Micros(BEGIN + 24 * 60 * MINUTE)),
            windows: Vec::new(),
            grace: 15 * MINUTE,
            late_after: Some(MINUTE),
            stuck_after: 10 * MINUTE,
            rows_vanish: false,
            event_ids_unique: true,
            events_source: "p".to_owned(),
            events_fresh_until: None,
            consumers: Vec::new(),
        };
        (flow, consumer)
    }

    #[divan::bench(args = [0, 1, 2])]
    fn acked_with_receipts(bencher: Bencher, receipts: u64) {
        let (flow, consumer) = rules();
        let deliveries: Vec<_> = (0..usize::try_from(ROWS).unwrap())
            .map(|at| {
                let first = (receipts > 0).then(|| Micros(instant(at).0 + 300_000));
                Delivery { event: Some(acked(instant(at))), receipts, first, last: first, dead: None }
            })
            .collect();
        bencher.counter(ItemsCount::new(ROWS)).bench_local(|| {
            for delivery in &deliveries {
                black_box(at_consumer(black_box(delivery), &flow, &consumer));
            }
        });
    }
}
