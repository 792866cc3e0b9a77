//! Read by sums of ids, every story ends as when its rows are streamed.

mod bulk;
use crate::stories::suite::{CONSUMERS, Settings, all};
use crate::world::{Flow, Place, found, run};
use msgrecon::config::Dialect;
use msgrecon::model::run::Strategy;
use msgrecon::model::time::MINUTE;
use msgrecon::model::{Kind, Micros, Run};
use msgrecon::plan::{Edge, Request};
use msgrecon::report::{Format, Options, render};
use msgrecon::story::{Half, Story};
use std::collections::BTreeSet;
use std::fmt::Write as _;

const AS_OF: &str = "2026-03-03T06:00:00Z";
const SERVERS: [Dialect; 2] = [Dialect::Postgres, Dialect::Mysql];
/// Without lateness, which sums do not show, and without the second id of a receipt, which forbids them.
const RULES: &str = "window = \"1h\"\ngrace = \"15m\"\nstuck_after = \"10m\"\n";

/// The configuration that a story's settings ask for.
pub fn toml(settings: &Settings, strategy: &str, late: bool) -> String {
    let late = if late { "late_after = \"60m\"\n" } else { "" };
    let rules = format!("strategy = \"{strategy}\"\n{RULES}{late}");
    let mut flow = Flow { consumers: CONSUMERS.to_vec(), rules, ..Flow::default() };
    if let Some(kept) = settings.retention {
        flow.consumer = format!("retention = \"{}m\"\n", kept / MINUTE);
    }
    let mut mailer = "name = \"mailer\"\n".to_owned();
    for (key, at) in [("since", settings.since), ("until", settings.until)] {
        if let Some(at) = at {
            let _ = writeln!(mailer, "{key} = \"{at}\"");
        }
    }
    if settings.only_paid {
        mailer.push_str("expects = \"sort = 'paid'\"\n");
    }
    let mut events = "where = \"topic = 'orders' AND sort <> 'foreign'\"".to_owned();
    if settings.rows_vanish {
        events.push_str("\nafter_ack = \"delete\"");
    }
    let text = flow.toml().replace("original_id = \"original_id\"\n", "");
    text.replace("name = \"mailer\"\n", &mailer).replace("where = \"topic = 'orders'\"", &events)
}

fn distinct<T: Ord>(ids: impl Iterator<Item = Option<T>>) -> bool {
    let mut seen = BTreeSet::new();
    let mut ids = ids;
    ids.all(|id| id.is_some_and(|id| seen.insert(id)))
}

/// Whether each side of the story may have a unique index on its ids.
pub fn keys(story: &Story) -> (bool, bool) {
    let events = distinct(story.events.iter().map(|event| event.id.clone()));
    let receipts = story.receipts.iter().map(|row| Some((row.consumer.clone(), row.id.clone()?)));
    (events, distinct(receipts))
}

/// The report as it would stand if its rows had been streamed, but for what sums do not show.
fn plain(mut run: Run) -> String {
    for consumer in run.flows.iter_mut().flat_map(|flow| &mut flow.consumers) {
        consumer.strategy = Strategy::Stream;
        if let Some(counts) = &mut consumer.counts {
            (counts.latency, counts.clock_skew_seconds) = (None, None);
        }
    }
    String::from_utf8(render(&run, Format::Json, Options::default()).unwrap()).unwrap()
}

pub fn strategies(run: &Run) -> Vec<Strategy> {
    run.flows[0].consumers.iter().map(|consumer| consumer.strategy).collect()
}

/// A database on each server that is there.
pub async fn servers() -> Vec<Place> {
    let mut places = Vec::new();
    for dialect in SERVERS {
        places.extend(Place::new(dialect).await);
    }
    places
}

struct Both {
    streamed: Run,
    summed: Run,
    late: Run,
}

async fn both(producer: &Place, consumer: &Place, settings: &Settings) -> Both {
    let as_of = settings.as_of.map_or_else(|| AS_OF.to_owned(), Micros::to_rfc3339);
    let day = ["2026-03-02", "2026-03-03"].map(|date| Edge::Date(date.parse().unwrap()));
    let request = Request::Range(day[0], day[1]);
    let databases = producer.toml("p") + &consumer.toml("c");
    let of = |strategy, late| databases.clone() + &toml(settings, strategy, late);
    Both {
        streamed: run(&of("stream", false), &request, &as_of).await,
        summed: run(&of("sketch", false), &request, &as_of).await,
        late: run(&of("sketch", true), &request, &as_of).await,
    }
}

/// Wrongs, and whether sums were used.
async fn held(name: &str, text: &str, producer: &Place, consumer: &Place) -> (Vec<String>, bool) {
    let (story, settings) = (Story::parse(text).unwrap(), Settings::of(text));
    let (first, second) = (producer.dialect, consumer.dialect);
    producer.clear().await;
    consumer.clear().await;
    let (events, receipts) = keys(&story);
    producer.tell(&story, Half::Producer, events).await;
    consumer.tell(&story, Half::Consumer, receipts).await;
    let Both { streamed, mut summed, late } = both(producer, consumer, &settings).await;
    let mut wrong = Vec::new();
    let used = strategies(&summed) == [Strategy::Sketch; 2];
    let why: Vec<_> =
        summed.flows[0].hints.iter().filter(|hint| hint.contains("strategy")).cloned().collect();
    if used != why.is_empty() {
        wrong.push(format!("{name}: {used} {why:?}"));
    }
    summed.flows[0].hints.retain(|hint| !hint.contains("strategy"));
    if found(&streamed) != found(&summed) {
        wrong.push(format!("{name} {first:?} {second:?}: {:?} {:?}", found(&streamed), found(&summed)));
    }
    let (left, right) = (plain(streamed), plain(summed));
    if left != right {
        let lines = left.lines().zip(right.lines()).filter(|(left, right)| left != right).take(4);
        wrong.push(format!("{name} {first:?} {second:?}: {:#?}", lines.collect::<Vec<_>>()));
    }
    for consumer in &late.flows[0].consumers {
        let undecided = consumer.not_decidable.contains(&Kind::Late);
        if used && !(undecided && consumer.counts.as_ref().unwrap().totals.late == 0) {
            wrong.push(format!("{name}: lateness is not decidable, and not 0"));
        }
    }
    (wrong, used)
}

#[tokio::test]
async fn every_story_ends_alike_whether_its_rows_or_their_sums_are_read() {
    let places = servers().await;
    let (mut wrong, mut used) = (Vec::new(), BTreeSet::new());
    for (number, (name, text)) in all().into_iter().enumerate().filter(|_| !places.is_empty()) {
        let (first, second) = (number % places.len(), number / places.len() % places.len());
        let (wrongs, sums) = held(name, text, &places[first], &places[second]).await;
        wrong.extend(wrongs);
        used.extend(sums.then_some(name));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(places.is_empty() || used.len() * 3 > all().len() * 2, "sums were used in {used:?} alone");
    for place in places {
        place.remove().await;
    }
}
