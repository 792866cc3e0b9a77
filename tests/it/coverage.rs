//! The generator plants what it says: a law that is never put to the test holds for nothing.

use crate::generate::generate;
use crate::oracle::{Truth, Verdict, placed, truth};
use crate::pipeline::{Pipeline, UNCONFIGURED};
use msgrecon::model::time::{DAY, HOUR};
use msgrecon::model::{Kind, Micros};
use std::collections::BTreeMap;

/// Pipelines that are looked at.
const PIPELINES: u64 = 2_000;

/// Each fault must be planted in so many of them.
const AT_LEAST: usize = 10;

type Count = BTreeMap<String, usize>;

#[test]
fn the_generator_plants_every_fault() {
    let mut count = Count::new();
    for seed in 0..PIPELINES {
        let pipeline = generate(seed);
        let truth = truth(&pipeline);
        for (name, there) in features(&pipeline, &truth) {
            *count.entry(name).or_default() += usize::from(there);
        }
    }
    let rare: Vec<_> = count.iter().filter(|(_, count)| **count < AT_LEAST).collect();
    assert!(rare.is_empty(), "planted too seldom: {rare:?}");
}

#[test]
fn a_seed_gives_one_pipeline() {
    for seed in 0..50 {
        assert_eq!(generate(seed).to_string(), generate(seed).to_string());
        assert_ne!(generate(seed).to_string(), generate(seed + 1).to_string());
    }
}

fn features(pipeline: &Pipeline, truth: &Truth) -> Vec<(String, bool)> {
    let kinds = Kind::ALL.into_iter().map(|kind| {
        let there = truth.verdicts.iter().any(|verdict| verdict.kind == kind);
        (kind.name().to_owned(), there)
    });
    let named = [edges(pipeline), shapes(pipeline, truth), receipts(pipeline, truth)].concat();
    kinds.chain(named.into_iter().map(|(name, there)| (name.to_owned(), there))).collect()
}

fn edges(pipeline: &Pipeline) -> Vec<(&'static str, bool)> {
    let rules = &pipeline.rules;
    let placed: Vec<_> = pipeline.events.iter().filter_map(|row| placed(pipeline, row)).collect();
    let at = |instant: Micros| placed.contains(&instant);
    let stuck_after = rules.stuck_after;
    vec![
        ("at the start", at(rules.span.from)),
        ("just before the start", at(rules.span.from.plus(-1))),
        ("at the end", at(rules.span.until)),
        ("just before the end", at(rules.span.until.plus(-1))),
        ("at the start of a window", rules.windows[1..].iter().any(|window| at(window.0.from))),
        ("at the end of the grace", at(rules.as_of.plus(-rules.grace))),
        ("exactly stuck", stuck_after > 0 && at(rules.as_of.plus(-stuck_after))),
        ("at a since", rules.consumers.iter().any(|it| it.since.is_some_and(at))),
        ("at an until", rules.consumers.iter().any(|it| it.until.is_some_and(at))),
        (
            "at a retention",
            rules.consumers.iter().any(|it| it.retention.is_some_and(|it| at(rules.as_of.plus(-it)))),
        ),
    ]
}

fn shapes(pipeline: &Pipeline, truth: &Truth) -> Vec<(&'static str, bool)> {
    let (rules, micros) = (&pipeline.rules, pipeline.rules.span.micros());
    vec![
        ("a day of 23 hours", micros == 23 * HOUR),
        ("a day of 25 hours", micros == 25 * HOUR),
        ("a day of 24 hours and a half", micros == 24 * HOUR + HOUR / 2),
        ("less than a day", micros < DAY / 2),
        ("rows vanish", rules.rows_vanish),
        ("event ids are unique", pipeline.events.len() > 5 && pipeline.event_ids_unique()),
        ("event ids repeat", !pipeline.event_ids_unique()),
        ("a state that no rule names", truth.unknown > 0),
        ("an event without id", truth.without_id > 0),
        ("another flow's event", pipeline.events.iter().any(|row| !row.in_flow)),
        ("can be told as a story", pipeline.to_story().is_some_and(|story| story.events.len() > 5)),
        (
            "an id that is no text",
            pipeline.events.iter().any(|row| row.id.as_ref().is_some_and(|id| id.to_text().is_none())),
        ),
        (
            "an empty id",
            pipeline.events.iter().any(|row| row.id.as_ref().is_some_and(|id| id.to_bytes().is_empty())),
        ),
    ]
}

fn receipts(pipeline: &Pipeline, truth: &Truth) -> Vec<(&'static str, bool)> {
    let rules = &pipeline.rules;
    let acked = |id: &_| {
        let rows = pipeline.events.iter().filter(move |row| row.id.as_ref() == Some(id));
        rows.filter_map(|row| row.acked.at()).collect::<Vec<_>>()
    };
    let lag = |far: &dyn Fn(i64) -> bool| {
        let lag = |row: &(usize, msgrecon::model::Receipt)| -> Option<bool> {
            let at = row.1.consumed.at()?;
            Some(acked(row.1.id.as_ref()?).iter().any(|acked| far(at.since(*acked))))
        };
        pipeline.receipts.iter().filter_map(lag).any(|far| far)
    };
    vec![
        ("consumed before the ack", lag(&|lag| lag < 0)),
        ("consumed a day after", lag(&|lag| lag > DAY)),
        ("consumed exactly late", rules.late_after.is_some_and(|late| lag(&|lag| lag == late))),
        ("consumed late by a microsecond", rules.late_after.is_some_and(|late| lag(&|lag| lag == late + 1))),
        ("counts cancel out", (0..rules.consumers.len()).any(|place| cancels_out(truth, place))),
        ("an undated second receipt", pipeline.has_undated_twin()),
        ("a consumer that is not configured", pipeline.receipts.iter().any(|row| row.0 == UNCONFIGURED)),
        ("a receipt without id", pipeline.receipts.iter().any(|row| row.1.id.is_none())),
        ("receipts without times", rules.consumers.iter().any(|it| !it.receipts_dated)),
    ]
}

/// As many receipts as acked messages, and yet one is missing and another came twice.
fn cancels_out(truth: &Truth, place: usize) -> bool {
    let own: Vec<_> = truth.verdicts.iter().filter(|it| it.consumer == Some(place)).collect();
    let there = |kind| own.iter().any(|verdict| verdict.kind == kind);
    let of_acked = |it: &&&Verdict| !matches!(it.kind, Kind::Orphan | Kind::AckLost);
    let records: u64 = own.iter().filter(of_acked).map(|verdict| verdict.records).sum();
    let acked = own.iter().filter(of_acked).count() as u64;
    there(Kind::Missing) && there(Kind::Duplicate) && records == acked
}
