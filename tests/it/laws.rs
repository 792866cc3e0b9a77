//! Laws that hold for every pipeline. `MSGRECON_SEED=…` runs the one of that seed, `MSGRECON_PIPELINES=…` so many.

use crate::drive::{Driven, How, When, drive};
use crate::generate::generate;
use crate::oracle::truth;
use crate::pipeline::Pipeline;
use crate::retell::retell;
use crate::rng::Rng;
use crate::verify::{Told, differences, disagreements, found};
use msgrecon::model::time::{DAY, HOUR, MINUTE};
use msgrecon::model::{ConsumerReport, Difference, Kind, Totals};

/// Pipelines that are held against the oracle.
const PIPELINES: u64 = 10_000;

/// Pipelines that each other law is tried on.
const FEWER: u64 = 1_000;

fn each(count: u64, law: impl Fn(u64, &Pipeline)) {
    let asked = |name: &str| std::env::var(name).ok().map(|text| text.parse::<u64>().expect("a number"));
    let all = 0..asked("MSGRECON_PIPELINES").unwrap_or(count);
    for seed in asked("MSGRECON_SEED").map_or(all, |seed| seed..seed + 1) {
        law(seed, &generate(seed));
    }
}

/// The counts of every consumer over the whole range.
fn totals(driven: &Driven) -> Vec<Totals> {
    driven.finished.report.consumers.iter().map(|report| report.counts.as_ref().unwrap().totals).collect()
}

/// The counts of every consumer in every window.
fn windows(driven: &Driven) -> Vec<Vec<Totals>> {
    let reports = driven.finished.report.consumers.iter();
    let own = reports.map(|report| report.counts.as_ref().unwrap().windows.iter());
    own.map(|windows| windows.map(|(_, totals)| *totals).collect()).collect()
}

#[test]
fn the_oracle_and_the_books_agree_on_every_message() {
    each(PIPELINES, |seed, pipeline| {
        let how = How::choose(pipeline, seed);
        let driven = drive(pipeline, &how);
        let wrong = disagreements(pipeline, &truth(pipeline), &driven, how.stale);
        let problems = &driven.finished.problems;
        assert!(
            wrong.is_empty(),
            "MSGRECON_SEED={seed}\n{pipeline}\n{how:?}\n{problems:#?}\n{}",
            wrong.join("\n")
        );
    });
}

#[test]
fn the_books_balance() {
    each(FEWER, |seed, pipeline| {
        let driven = drive(pipeline, &How::choose(pipeline, seed));
        for report in &driven.finished.report.consumers {
            let counts = report.counts.as_ref().unwrap();
            for all in counts.windows.iter().map(|(_, totals)| totals).chain([&counts.totals]) {
                let consumed = all.ok + all.late + all.duplicate;
                let not = all.dead_lettered + all.discarded + all.in_flight + all.missing + all.unverifiable;
                assert_eq!(all.acked, consumed + not, "MSGRECON_SEED={seed}");
            }
            let (all, rows) = (counts.totals, counts.receipts);
            let settled =
                all.ok + all.late + all.duplicate_records + all.ack_lost_records + all.orphan_records;
            assert_eq!(rows.read, settled + rows.outside + rows.undecidable, "MSGRECON_SEED={seed}");
        }
    });
}

#[test]
fn shuffling_changes_nothing() {
    each(FEWER, |seed, pipeline| {
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let one = drive(pipeline, &how);
        let other = drive(pipeline, &How { seed: seed + FEWER, ..how });
        assert_eq!(windows(&one), windows(&other), "MSGRECON_SEED={seed}");
        assert_eq!(one.finished.differences, other.finished.differences, "MSGRECON_SEED={seed}");
        let (one, other) = (one.finished.report, other.finished.report);
        assert_eq!((one.events, one.outcome), (other.events, other.outcome), "MSGRECON_SEED={seed}");
    });
}

#[test]
fn taking_ids_for_unique_where_they_are_changes_nothing() {
    each(FEWER, |seed, pipeline| {
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let consumers = 0..pipeline.rules.consumers.len();
        let unique = drive(
            pipeline,
            &How {
                event_ids_unique: pipeline.event_ids_unique(),
                receipt_ids_unique: consumers.clone().map(|at| pipeline.receipt_ids_unique(at)).collect(),
                ..how.clone()
            },
        );
        let not =
            How { event_ids_unique: false, receipt_ids_unique: consumers.map(|_| false).collect(), ..how };
        let not = drive(pipeline, &not);
        assert_eq!(windows(&unique), windows(&not), "MSGRECON_SEED={seed}");
        let (told, otherwise) = (found(&unique.finished.differences), found(&not.finished.differences));
        assert_eq!(told, otherwise, "MSGRECON_SEED={seed}");
        assert_eq!(unique.finished.report.events, not.finished.report.events, "MSGRECON_SEED={seed}");
    });
}

#[test]
fn splitting_windows_changes_no_total() {
    let without_window = |list: &[Difference]| {
        let mut list: Vec<_> = list.iter().map(|it| Difference { window_from: None, ..it.clone() }).collect();
        list.sort();
        list
    };
    each(FEWER, |seed, pipeline| {
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let whole = drive(&pipeline.clone().cut_into(DAY), &how);
        for size in [7 * MINUTE, HOUR, 5 * HOUR] {
            let split = drive(&pipeline.clone().cut_into(size), &how);
            assert_eq!(totals(&whole), totals(&split), "MSGRECON_SEED={seed}");
            let (whole, split) = (&whole.finished.differences, &split.finished.differences);
            assert_eq!(without_window(whole), without_window(split), "MSGRECON_SEED={seed}");
        }
    });
}

/// Rows of one id lie in different shards, so that nothing is unique any more, and the shards come one after another.
#[test]
fn sharding_changes_no_total() {
    each(FEWER, |seed, pipeline| {
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let whole = drive(pipeline, &how);
        let mut sharded = pipeline.clone();
        let mut rng = Rng::new(seed);
        sharded.events.sort_by_cached_key(|_| rng.below(4));
        let sharded = drive(&sharded, &How { event_ids_unique: false, seed: seed + 1, ..how });
        assert_eq!(windows(&whole), windows(&sharded), "MSGRECON_SEED={seed}");
        assert_eq!(whole.finished.differences, sharded.finished.differences, "MSGRECON_SEED={seed}");
        assert_eq!(whole.finished.report.events, sharded.finished.report.events, "MSGRECON_SEED={seed}");
    });
}

#[test]
fn a_larger_grace_adds_no_difference() {
    each(FEWER, |seed, pipeline| {
        let how = How::choose(pipeline, seed);
        let mut patient = pipeline.clone();
        patient.rules.grace += [1, MINUTE, HOUR, 2 * DAY][usize::try_from(seed % 4).unwrap()];
        let before = found(&drive(pipeline, &how).finished.differences);
        let added: Vec<_> = added(&before, found(&drive(&patient, &how).finished.differences));
        assert!(added.is_empty(), "MSGRECON_SEED={seed}\n{pipeline}\n{added:?}");
    });
}

fn added(before: &[Told], after: Vec<Told>) -> Vec<Told> {
    after.into_iter().filter(|told| !before.contains(told)).collect()
}

/// Consumed is consumed: only what is still open changes while time goes by.
#[test]
fn a_later_as_of_changes_nothing_that_is_done() {
    let done = |driven: &Driven| -> Vec<Vec<_>> {
        let kinds = |all: &Totals| (all.ok, all.late, all.duplicate, all.dead_lettered, all.discarded);
        windows(driven).iter().map(|windows| windows.iter().map(kinds).collect()).collect()
    };
    each(FEWER, |seed, pipeline| {
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let mut later = pipeline.clone();
        later.rules.as_of =
            later.rules.as_of.plus([1, MINUTE, DAY, 20 * DAY][usize::try_from(seed % 4).unwrap()]);
        let (now, later) = (drive(pipeline, &how), drive(&later, &how));
        assert_eq!(done(&now), done(&later), "MSGRECON_SEED={seed}\n{pipeline}");
    });
}

/// A row that commits after its slice was read is judged by the next run; this one must not be wrong about it. (A
/// message whose earlier row was not there yet is placed, and found late, by the later one.)
#[test]
fn a_late_commit_is_no_false_alarm() {
    each(FEWER, |seed, pipeline| {
        let mut how = How { stale: false, ..How::choose(pipeline, seed) };
        let mut rng = Rng::new(seed);
        how.unseen = (0..pipeline.events.len()).filter(|_| rng.chance(30)).collect();
        let driven = drive(pipeline, &how);
        let anywhere =
            |told: Vec<Told>| told.into_iter().map(|it| (it.0, it.1, it.2, None)).collect::<Vec<_>>();
        let right = anywhere(differences(pipeline, &truth(pipeline)));
        let mut wrong = added(&right, anywhere(found(&driven.finished.differences)));
        wrong.retain(|told| told.1 != Kind::Late);
        assert!(wrong.is_empty(), "MSGRECON_SEED={seed}\n{pipeline}\n{how:?}\n{wrong:?}");
        let residuals =
            driven.finished.report.consumers.iter().map(|it| it.counts.as_ref().unwrap().residual());
        assert_eq!(residuals.sum::<i64>(), 0, "MSGRECON_SEED={seed}");
    });
}

/// One consumer that cannot be read to the end is not judged, and takes nothing from the verdicts at the others.
#[test]
fn a_lost_consumer_changes_nothing_at_the_others() {
    each(FEWER, |seed, pipeline| {
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let when = [When::Opening, When::Reading, When::LookingUp][usize::try_from(seed % 3).unwrap()];
        let lost = drive(pipeline, &How { lost: Some((0, when)), ..how.clone() }).finished;
        let whole = drive(pipeline, &how).finished;
        let name = pipeline.consumer_name(0);
        let at_consumers =
            |list: Vec<Difference>| list.into_iter().filter(|it| it.consumer.is_some()).collect::<Vec<_>>();
        assert_eq!(lost.differences.len() as u64, lost.differences_total, "MSGRECON_SEED={seed}");
        let (mut before, after) = (at_consumers(whole.differences), at_consumers(lost.differences));
        before.retain(|it| it.consumer.as_deref() != Some(name));
        assert_eq!(before, after, "MSGRECON_SEED={seed}");
        let (whole, lost) = (whole.report, lost.report);
        assert!(lost.consumers[0].counts.is_none() && !lost.complete, "MSGRECON_SEED={seed}");
        for (before, after) in whole.consumers.iter().zip(&lost.consumers).skip(1) {
            let totals = |report: &ConsumerReport| report.counts.as_ref().unwrap().totals;
            assert_eq!(totals(before), totals(after), "MSGRECON_SEED={seed}");
        }
    });
}

#[test]
fn a_pipeline_told_as_a_story_is_judged_alike() {
    each(FEWER, |seed, pipeline| {
        let Some(story) = pipeline.to_story() else { return };
        let again = retell(&story, &pipeline.rules, &pipeline.only_paid);
        let how = How { stale: false, ..How::choose(pipeline, seed) };
        let (one, other) = (drive(pipeline, &how), drive(&again, &how));
        assert_eq!(one.finished.differences, other.finished.differences, "MSGRECON_SEED={seed}");
        assert_eq!(windows(&one), windows(&other), "MSGRECON_SEED={seed}");
    });
}
