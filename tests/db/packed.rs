//! Read packed, every story ends as when its rows are streamed, lateness and all.

mod planted;

use crate::sketch::{self, servers, strategies};
use crate::stories::suite::{Settings, all};
use crate::world::{Place, found, run};
use msgrecon::model::run::Strategy;
use msgrecon::model::{Micros, Run};
use msgrecon::plan::{Edge, Request};
use msgrecon::report::{Format, Options, render};
use msgrecon::story::{Half, Story};
use std::collections::BTreeSet;

const AS_OF: &str = "2026-03-03T06:00:00Z";

/// The report without what says how its rows were read.
fn plain(mut run: Run) -> String {
    for flow in &mut run.flows {
        flow.hints.retain(|hint| !hint.contains("strategy"));
        flow.consumers.iter_mut().for_each(|consumer| consumer.strategy = Strategy::Stream);
    }
    String::from_utf8(render(&run, Format::Json, Options::default()).unwrap()).unwrap()
}

/// Where two reports differ.
fn unlike(streamed: Run, packed: Run) -> Vec<String> {
    let mut wrong = Vec::new();
    if found(&streamed) != found(&packed) {
        wrong.push(format!("{:?} {:?}", found(&streamed), found(&packed)));
    }
    let (left, right) = (plain(streamed), plain(packed));
    if left != right {
        let lines = left.lines().zip(right.lines()).filter(|(left, right)| left != right).take(4);
        wrong.push(format!("{:#?}", lines.collect::<Vec<_>>()));
    }
    wrong
}

/// Wrongs, and whether it was read packed.
async fn held(name: &str, text: &str, producer: &Place, consumer: &Place) -> (Vec<String>, bool) {
    let (story, settings) = (Story::parse(text).unwrap(), Settings::of(text));
    producer.clear().await;
    consumer.clear().await;
    let (events, receipts) = sketch::keys(&story);
    producer.tell(&story, Half::Producer, events).await;
    consumer.tell(&story, Half::Consumer, receipts).await;
    let as_of = settings.as_of.map_or_else(|| AS_OF.to_owned(), Micros::to_rfc3339);
    let day = ["2026-03-02", "2026-03-03"].map(|date| Edge::Date(date.parse().unwrap()));
    let request = Request::Range(day[0], day[1]);
    let of = |strategy| producer.toml("p") + &consumer.toml("c") + &sketch::toml(&settings, strategy, true);
    let streamed = run(&of("stream"), &request, &as_of).await;
    let packed = run(&of("packed"), &request, &as_of).await;
    let used = strategies(&packed) == [Strategy::Packed; 2];
    let hints: Vec<_> = packed.flows[0].hints.iter().filter(|hint| hint.contains("strategy")).collect();
    let mut wrong = Vec::new();
    if used != hints.is_empty() || used != (events && receipts && !settings.rows_vanish) {
        wrong.push(format!("{used} {events} {receipts} {hints:?}"));
    }
    wrong.extend(unlike(streamed, packed));
    let pair = (producer.dialect, consumer.dialect);
    (wrong.into_iter().map(|wrong| format!("{name} {pair:?}: {wrong}")).collect(), used)
}

#[tokio::test]
async fn every_story_ends_alike_whether_its_rows_are_packed_or_not() {
    let places = servers().await;
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for (number, (name, text)) in all().into_iter().enumerate().filter(|_| !places.is_empty()) {
        let (first, second) = (number % places.len(), number / places.len() % places.len());
        let (wrongs, packed) = held(name, text, &places[first], &places[second]).await;
        wrong.extend(wrongs);
        used.extend(packed.then_some(name));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(places.is_empty() || used.len() * 3 > all().len(), "{used:?} alone were read packed");
    for place in places {
        place.remove().await;
    }
}
