//! The Chinese page: nothing of it is left in English.

use super::super::fixture;
use super::*;
use crate::model::Id;
use crate::model::run::Counts;

const ZH: Options = Options { width: 100, colour: false, csv_raw: false, language: Language::ZhCn };

/// Words that stay as they are: names of files, keys of the configuration, units, and what has no other name.
const KEPT: [&str; 24] = [
    "msgrecon",
    "report.json",
    "differences.csv",
    "windows.csv",
    "America/New_York",
    "UTC",
    "id",
    "NULL",
    "late_after",
    "stuck_after",
    "grace",
    "retention",
    "format",
    "oldest_pending",
    "p50",
    "p95",
    "p99",
    "zh-CN",
    "aliases",
    "where",
    "encoding",
    "uuid",
    "UUID",
    "SQLite",
];

/// As books and look-ups write it.
const EVIDENCE: [&str; 12] = [
    "2 receipts; the last 3m 5s after the first",
    "consumed 1h 2m after the ack",
    "acked without an ack time; the event table says pending",
    "dead letter: 9",
    "its dead letter is still open",
    "12 attempts",
    "the creation time is unusable; state failed",
    "3 event rows",
    "acked at 2026-11-01T03:00:00Z",
    "its event row is gone",
    "receipts of its age may be purged",
    "",
];

/// As books, sessions and tables write them.
const HINTS: [&str; 6] = [
    "`乙`: nearly all ids differ, but they become equal when read as UUID (`encoding = \"uuid\"`)",
    "`乙`: there is not one receipt in the range: was the consumer renamed (`aliases`), is it down, or does `where` pick nothing?",
    "`乙`: 10 duplicate, all consumed again within 2s at 1970-01-01T00:00:00Z: a replay after a restart or a rebalance",
    "`乙`: 10 of 11 dead_lettered, all acked within 1m 2s at 1970-01-01T00:00:00Z: one cause behind all of them",
    "`乙`: messages acked before the oldest receipt (2026-11-01T03:00:00Z) are missing: if older receipts were purged, set `retention`, and they are unverifiable instead",
    "表: no index leads with 列: each look-up by id reads the table",
];

/// The run with Chinese names, ids and quotations, and with evidence and hints as they are really written.
fn renamed(mut run: Run) -> Run {
    let mut evidence = EVIDENCE.iter().cycle().map(|text| (*text).to_owned());
    let named = |name: &Option<String>| name.as_ref().map(|_| "乙".to_owned());
    for flow in &mut run.flows {
        "甲".clone_into(&mut flow.name);
        flow.hints = HINTS.map(ToOwned::to_owned).to_vec();
        flow.breaches.iter_mut().for_each(|one| one.consumer = named(&one.consumer));
        flow.acknowledged.iter_mut().for_each(|one| one.consumer = named(&one.consumer));
        for consumer in &mut flow.consumers {
            "乙".clone_into(&mut consumer.name);
            consumer.other_consumers.iter_mut().for_each(|(name, _)| "丙".clone_into(name));
        }
        for one in flow.life.iter_mut().flat_map(|life| &mut life.healed) {
            (one.consumer, one.id) = (named(&one.consumer), Id::from_text("1"));
            one.evidence = evidence.next().unwrap();
        }
    }
    for one in &mut run.differences {
        (one.flow, one.consumer) = ("甲".to_owned(), named(&one.consumer));
        one.id = one.id.as_ref().map(|_| Id::from_text("1"));
        one.detail = evidence.next().unwrap();
    }
    for one in &mut run.problems {
        (one.source, one.flow) = (one.source.replace(char::is_alphabetic, "丁"), named(&one.flow));
        "戊".clone_into(&mut one.message);
    }
    "r-1".clone_into(&mut run.id);
    run
}

/// Everything that somebody may read of a page: texts, and the attributes that are read out or shown.
fn read(page: &str) -> String {
    let (_, body) = page.split_once("<title>").unwrap();
    let (title, body) = body.split_once("</title>").unwrap();
    let (_, body) = body.split_once("</style>").unwrap();
    let mut text = title.to_owned();
    for part in body.split('<').skip(1) {
        let (tag, rest) = part.split_once('>').unwrap();
        for name in ["aria-label=\"", "data-label=\""] {
            text += "\n";
            text += tag.split_once(name).map_or("", |(_, value)| value.split('"').next().unwrap());
        }
        text += "\n";
        text += rest;
    }
    text.replace("&quot;", "\"").replace("&#x27;", "'").replace("&#x2f;", "/").replace("&lt;", "<")
}

/// The English words of a text that are not [`KEPT`] and no kind's name.
fn english(text: &str) -> Vec<String> {
    let kinds = Kind::ALL.map(Kind::name);
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_-./".contains(c);
    let words = text.split(|c| !is_part(c)).map(|word| word.trim_matches(['-', '.', '/']));
    let strange = words.filter(|word| word.chars().filter(char::is_ascii_alphabetic).count() > 1);
    let strange = strange.filter(|word| !KEPT.contains(word) && !kinds.contains(word));
    let time = |word: &str| word.ends_with('Z') && word.contains('T');
    strange.filter(|word| !time(word)).map(ToOwned::to_owned).collect()
}

/// Runs that say what the fixtures do not.
fn further() -> Vec<Run> {
    let mut blind = fixture::balanced();
    blind.flows[0].consumers[0].not_decidable = vec![Kind::Missing, Kind::Orphan, Kind::Duplicate];
    blind.flows[0].backlog = None;
    let mut partly = fixture::balanced();
    partly.complete = false;
    partly.outcome = Outcome::Incomplete;
    let mut known = fixture::rich();
    (known.complete, known.differences_total, known.last_run) = (true, 2, None);
    let mut late = fixture::nothing_due();
    late.flows[0].life.as_mut().unwrap().due = 12;
    let mut off = fixture::many(3);
    let counts = off.flows[0].consumers[0].counts.as_mut().unwrap();
    counts.receipts.undecidable = 4;
    counts.windows.drain(2..7);
    off.flows[0].consumers[0].other_consumers = (0..12).map(|rows| (String::new(), rows)).collect();
    off.flows[0].consumers[2].counts = Some(Counts::default());
    let mut healed = fixture::rich();
    let life = healed.flows[0].life.as_mut().unwrap();
    (life.resolved, life.expired, life.watermark) = (5_000, 0, None);
    life.windows.truncate(1);
    vec![blind, partly, known, late, off, healed]
}

#[test]
fn no_english_is_left_on_the_page() {
    let fixtures = [
        fixture::rich(),
        fixture::empty(),
        fixture::balanced(),
        fixture::many(1_000),
        fixture::scheduled(),
        fixture::nothing_due(),
    ];
    for run in fixtures.into_iter().chain(further()) {
        let page = render(&renamed(run), ZH).unwrap();
        let left = english(&read(&page));
        assert!(left.is_empty(), "{left:?}");
        assert!(page.contains("<html lang=\"zh-CN\">") && page.contains("PingFang SC"));
    }
}

#[test]
fn english_that_is_left_would_be_found() {
    let page = render(&renamed(fixture::rich()), Options::default()).unwrap();
    let left = english(&read(&page));
    for word in ["reconciliation", "Showing", "Consumers", "Holds", "windows", "receipts", "until", "became"]
    {
        assert!(left.iter().any(|one| one == word), "{word}");
    }
    assert!(page.contains("<html lang=\"en\">") && !page.contains("PingFang SC"));
}

#[test]
fn the_chinese_page_reads_like_this() {
    let page = render(&fixture::rich(), ZH).unwrap();
    let (head, rest) = page.split_once("<style>").unwrap();
    let (_, body) = rest.split_once("</style>").unwrap();
    insta::assert_snapshot!(format!("{head}{body}"));
}

#[test]
fn every_language_makes_the_same_elements() {
    let tags = |options: Options| {
        let page = render(&renamed(fixture::many(500)), options).unwrap();
        let body = page.split_once("</style>").unwrap().1.to_owned();
        let tags = body.split('<').skip(1).map(|part| part.split([' ', '>']).next().unwrap().to_owned());
        // Column heads have a kind's two names below each other.
        tags.filter(|tag| tag != "br").collect::<Vec<_>>()
    };
    assert_eq!(tags(Options::default()), tags(ZH));
}
