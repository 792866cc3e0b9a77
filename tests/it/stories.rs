//! The story suite: each text says what happened and what must be found. It runs through the pure core here, and
//! through real databases elsewhere with the same expectations.
//!
//! Unless its first comment lines say otherwise, a story is judged with [`Settings::default`]: the day 2026-03-02 in
//! UTC in windows of an hour, as of 06:00 on the next morning, grace 15m, late after 60m, stuck after 10m, consumers
//! `billing` and `mailer` that share one dedup table. Events of the sort `foreign` are another flow's.

use crate::drive::{How, drive};
use crate::oracle::truth;
use crate::pipeline::Pipeline;
use crate::retell::retell;
use crate::verify::disagreements;
use chrono_tz::Tz;
use msgrecon::book::Finished;
use msgrecon::model::time::{HOUR, MINUTE};
use msgrecon::model::window::cut;
use msgrecon::model::{Kind, Micros, Span};
use msgrecon::plan::{ConsumerRules, FlowRules};
use msgrecon::story::{Story, Want};
use std::collections::BTreeMap;

/// The consumers of every story, by place.
pub const CONSUMERS: [&str; 2] = ["billing", "mailer"];

/// Name and text of every story.
pub fn all() -> Vec<(&'static str, &'static str)> {
    macro_rules! stories {
        ($($name:literal),* $(,)?) => {
            vec![$(($name, include_str!(concat!("../stories/", $name, ".story")))),*]
        };
    }
    stories![
        "acked-and-consumed",
        "ages-of-the-unconsumed",
        "case-of-ids",
        "counts-cancel-out",
        "dead-letters",
        "dead-letters-redriven",
        "duplicates",
        "edges-of-the-day",
        "edges-of-a-window",
        "effects-of-retention",
        "empty-range",
        "events-of-two-sorts",
        "events-without-id",
        "events-without-time",
        "everything-missing",
        "ids-taken-for-numbers",
        "ids-with-blanks-and-signs",
        "late-by-a-microsecond",
        "not-acked",
        "not-acked-but-consumed",
        "orphans",
        "receipts-without-id",
        "receipts-without-time",
        "rows-deleted-at-the-ack",
        "several-rows-of-one-id",
        "several-rows-over-days",
        "since-and-until",
        "states-nobody-names",
        "two-consumers",
        "waiting-still",
    ]
}

/// What a story's first comment lines may set: `# name value`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Settings {
    /// `# as_of 2026-03-02T12:00:00Z`; the range ends there at the latest.
    pub as_of: Option<Micros>,
    /// `# retention 7d`, of both consumers.
    pub retention: Option<i64>,
    /// `# after_ack delete`
    pub rows_vanish: bool,
    /// `# since 2026-03-02T12:00:00Z`, of `mailer`.
    pub since: Option<Micros>,
    /// `# until 2026-03-02T18:00:00Z`, of `mailer`.
    pub until: Option<Micros>,
    /// `# expects paid`: `mailer` sees only events of that sort.
    pub only_paid: bool,
}

impl Settings {
    /// Reads the comment lines that a story begins with.
    pub fn of(text: &str) -> Self {
        let mut settings = Self::default();
        let instant =
            |value: &str| Some(Micros::from(value.parse::<chrono::DateTime<chrono::Utc>>().unwrap()));
        for line in text.lines().map_while(|line| line.strip_prefix("# ")) {
            match line.split_once(' ') {
                Some(("as_of", value)) => settings.as_of = instant(value),
                Some(("retention", value)) => {
                    let kept = humantime::parse_duration(value).unwrap();
                    settings.retention = Some(i64::try_from(kept.as_micros()).unwrap());
                }
                Some(("after_ack", "delete")) => settings.rows_vanish = true,
                Some(("since", value)) => settings.since = instant(value),
                Some(("until", value)) => settings.until = instant(value),
                Some(("expects", "paid")) => settings.only_paid = true,
                _ => {}
            }
        }
        settings
    }

    fn rules(&self) -> FlowRules {
        let day = "2026-03-02T00:00:00Z".parse::<chrono::DateTime<chrono::Utc>>().unwrap();
        let from = Micros::from(day);
        let as_of = self.as_of.unwrap_or(from.plus(30 * HOUR));
        let span = Span::new(from, from.plus(24 * HOUR).min(as_of));
        FlowRules {
            name: "orders".to_owned(),
            as_of,
            span,
            windows: cut(span, HOUR, Tz::UTC, usize::MAX),
            grace: 15 * MINUTE,
            late_after: Some(HOUR),
            stuck_after: 10 * MINUTE,
            rows_vanish: self.rows_vanish,
            event_ids_unique: false,
            events_source: "shop".to_owned(),
            events_fresh_until: None,
            consumers: (0..CONSUMERS.len()).map(|place| self.consumer(place)).collect(),
        }
    }

    fn consumer(&self, place: usize) -> ConsumerRules {
        let mailer = CONSUMERS[place] == "mailer";
        ConsumerRules {
            name: CONSUMERS[place].to_owned(),
            source: "work".to_owned(),
            since: self.since.filter(|_| mailer),
            until: self.until.filter(|_| mailer),
            retention: self.retention,
            receipt_ids_unique: false,
            receipts_dated: true,
            fresh_until: None,
        }
    }
}

/// The story's facts under its settings.
pub fn pipeline(text: &str) -> (Story, Pipeline) {
    let story = Story::parse(text).unwrap();
    let settings = Settings::of(text);
    let pipeline = retell(&story, &settings.rules(), &[false, settings.only_paid]);
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
