//! Every story of the suite on every server: the same text, the same expectations as in the pure core.

#[path = "../it/stories.rs"]
pub mod suite;

use crate::world::{DIALECTS, Flow, Place, found, run};
use msgrecon::config::Dialect;
use msgrecon::model::time::MINUTE;
use msgrecon::model::{Kind, Micros};
use msgrecon::plan::{Edge, Request};
use msgrecon::story::{Half, Story, Want};
use std::fmt::Write as _;
use suite::{CONSUMERS, Settings, all};

const AS_OF: &str = "2026-03-03T06:00:00Z";

/// The configuration that a story's settings ask for.
fn toml(settings: &Settings) -> String {
    let mut flow = Flow { consumers: CONSUMERS.to_vec(), ..Flow::default() };
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
    flow.toml().replace("name = \"mailer\"\n", &mailer).replace("where = \"topic = 'orders'\"", &events)
}

/// What was found that has an id, and how many messages of each kind there are at each consumer.
type Result = (Vec<Want>, Vec<(Option<String>, Kind, u64)>);

async fn told(dialect: Dialect, text: &str) -> Option<Result> {
    let (story, settings) = (Story::parse(text).unwrap(), Settings::of(text));
    let place = Place::new(dialect).await?;
    for half in [Half::Producer, Half::Consumer] {
        place.tell(&story, half, false).await;
    }
    let config = place.toml("p") + &place.toml("c") + &toml(&settings);
    let as_of = settings.as_of.map_or_else(|| AS_OF.to_owned(), Micros::to_rfc3339);
    let day = ["2026-03-02", "2026-03-03"].map(|date| Edge::Date(date.parse().unwrap()));
    let run = run(&config, &Request::Range(day[0], day[1]), &as_of).await;
    place.remove().await;
    let mut counts = Vec::new();
    for kind in Kind::ALL {
        counts.push((None, kind, run.flows[0].events.unwrap().of(kind)));
        for report in &run.flows[0].consumers {
            let totals = report.counts.as_ref().unwrap_or_else(|| panic!("{:?}", run.problems)).totals;
            counts.push((Some(report.name.clone()), kind, totals.of(kind)));
        }
    }
    Some((found(&run), counts))
}

/// What the story wants, counted as [`told`] counts.
fn wanted(story: &Story) -> Vec<(Option<String>, Kind, u64)> {
    let mut counts = Vec::new();
    for kind in Kind::ALL {
        for consumer in [None].into_iter().chain(CONSUMERS.map(Some)) {
            let of = |want: &&Want| want.kind == kind && want.consumer.as_deref() == consumer;
            let count = story.wants.iter().filter(of).count() as u64;
            counts.push((consumer.map(ToOwned::to_owned), kind, count));
        }
    }
    counts
}

#[tokio::test]
async fn every_story_ends_alike_on_every_server() {
    let mut wrong = Vec::new();
    for (name, text) in all() {
        let story = Story::parse(text).unwrap();
        for dialect in DIALECTS {
            let Some((found, counts)) = told(dialect, text).await else { continue };
            let right = (story.wanted_differences(), wanted(&story));
            if (&found, &counts) != (&right.0, &right.1) {
                let not = |a: &[Want], b: &[Want]| {
                    a.iter().filter(|it| !b.contains(it)).cloned().collect::<Vec<_>>()
                };
                let (false_alarms, not_found) = (not(&found, &right.0), not(&right.0, &found));
                wrong.push(format!("{name} on {dialect:?}: false {false_alarms:?}, not found {not_found:?}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
