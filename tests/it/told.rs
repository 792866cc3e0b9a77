//! The stories through the pure core: what each wants is found, no more, and the oracle agrees.

use crate::drive::{How, drive};
use crate::oracle::truth;
use crate::pipeline::Pipeline;
use crate::retell::retell;
use crate::stories::{CONSUMERS, Settings, all};
use crate::verify::disagreements;
use chrono_tz::Tz;
use msgrecon::book::Finished;
use msgrecon::model::time::{HOUR, MINUTE};
use msgrecon::model::window::cut;
use msgrecon::model::{Kind, Micros, Span};
use msgrecon::plan::{ConsumerRules, FlowRules};
use msgrecon::story::{Story, Want};
use std::collections::BTreeMap;

fn rules(settings: &Settings) -> FlowRules {
    let day = "2026-03-02T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
    let from = Micros::from(day);
    let as_of = settings.as_of.unwrap_or(from.plus(30 * HOUR));
    let span = Span::new(from, from.plus(24 * HOUR).min(as_of));
    FlowRules {
        memory: msgrecon::model::memory::DEFAULT,
        name: "orders".to_owned(),
        as_of,
        span,
        windows: cut(span, HOUR, Tz::UTC, usize::MAX),
        grace: 15 * MINUTE,
        late_after: Some(HOUR),
        stuck_after: 10 * MINUTE,
        rows_vanish: settings.rows_vanish,
        event_ids_unique: false,
        events_source: "shop".to_owned(),
        events_fresh_until: None,
        consumers: (0..CONSUMERS.len()).map(|place| consumer(settings, place)).collect(),
    }
}

fn consumer(settings: &Settings, place: usize) -> ConsumerRules {
    let mailer = CONSUMERS[place] == "mailer";
    ConsumerRules {
        name: CONSUMERS[place].to_owned(),
        source: "work".to_owned(),
        since: settings.since.filter(|_| mailer),
        until: settings.until.filter(|_| mailer),
        retention: settings.retention,
        receipt_ids_unique: false,
        selective: false,
        receipts_dated: true,
        fresh_until: None,
    }
}

/// The story's facts under its settings.
pub fn pipeline(text: &str) -> (Story, Pipeline) {
    let story = Story::parse(text).unwrap();
    let settings = Settings::of(text);
    let pipeline = retell(&story, &rules(&settings), &[false, settings.only_paid]);
    (story, pipeline)
}

/// How many messages of each kind there are at each consumer, and at the producer alone.
type Counts = BTreeMap<(Option<String>, Kind), u64>;

fn wanted(story: &Story) -> Counts {
    let mut counts = Counts::new();
    for want in &story.wants {
        *counts.entry((want.consumer.clone(), want.kind)).or_default() += 1;
    }
    counts
}

fn counted(finished: &Finished) -> Counts {
    let mut counts = Counts::new();
    for kind in Kind::ALL {
        counts.insert((None, kind), finished.report.events.unwrap().of(kind));
        for report in &finished.report.consumers {
            let totals = report.counts.as_ref().unwrap().totals;
            counts.insert((Some(report.name.clone()), kind), totals.of(kind));
        }
    }
    counts.retain(|_, count| *count > 0);
    counts
}

fn found(finished: &Finished) -> Vec<Want> {
    let named = finished.differences.iter().filter_map(|it| {
        let id = it.id.as_ref()?.to_text()?;
        Some(Want { id, consumer: it.consumer.clone(), kind: it.kind })
    });
    let mut found: Vec<_> = named.collect();
    found.sort();
    found
}

#[test]
fn every_story_ends_as_it_wants() {
    for (name, text) in all() {
        let (story, pipeline) = pipeline(text);
        for seed in 0..20 {
            let how = How::choose(&pipeline, seed);
            let driven = drive(&pipeline, &how);
            assert_eq!(found(&driven.finished), story.wanted_differences(), "{name}");
            assert_eq!(counted(&driven.finished), wanted(&story), "{name}");
            let wrong = disagreements(&pipeline, &truth(&pipeline), &driven, how.stale);
            assert!(wrong.is_empty(), "{name}: {wrong:#?}");
        }
    }
}

/// Each row of the kinds table is told by some story, and each story tells of something.
#[test]
fn the_stories_tell_of_every_kind() {
    let all = all();
    let wants: Vec<_> = all.iter().flat_map(|(_, text)| Story::parse(text).unwrap().wants).collect();
    for kind in Kind::ALL {
        assert!(wants.iter().any(|want| want.kind == kind), "no story wants {kind}");
    }
    let files = std::fs::read_dir(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/stories")).unwrap();
    assert_eq!(files.count(), all.len(), "a story that is not listed never runs");
}
