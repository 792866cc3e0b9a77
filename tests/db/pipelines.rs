//! Random pipelines through real databases, held against the naive oracle.

use crate::generate::generate;
use crate::oracle::truth;
use crate::pipeline::Pipeline;
use crate::sketch::servers;
use crate::verify::{differences, found};
use crate::world::{DIALECTS, Place, load};
use msgrecon::model::run::Strategy;
use msgrecon::model::time::DAY;
use msgrecon::model::{Kind, Run};
use msgrecon::plan::{Edge, Request, plan};
use msgrecon::reconcile::reconcile;
use msgrecon::story::Half;
use std::collections::BTreeSet;
use std::fmt::Write as _;

/// So many pipelines go through the databases, spread over all pairs of servers that are there.
const PIPELINES: usize = 200;
/// So many of those that may be read by sums are.
const SUMMED: usize = 60;
const FIRST_SEED: u64 = 1_000_000;

/// A pipeline that tables can hold, judged without a replica's lag (which is the database's, not the tables').
fn tellable(seed: u64) -> Option<Pipeline> {
    let mut pipeline = generate(seed);
    pipeline.rules.events_fresh_until = None;
    // The configuration takes no time of 0.
    pipeline.rules.grace = pipeline.rules.grace.max(1);
    pipeline.rules.stuck_after = pipeline.rules.stuck_after.max(1);
    pipeline.rules.late_after = pipeline.rules.late_after.map(|late| late.max(1));
    for consumer in &mut pipeline.rules.consumers {
        consumer.fresh_until = None;
        consumer.receipts_dated = true;
        consumer.until = consumer.until.filter(|until| consumer.since.is_none_or(|since| since < *until));
    }
    pipeline.to_story().is_some().then_some(pipeline)
}

/// Whether no id comes twice in a table, and none is lacking: then it may have a key. Of the events, of the receipts.
fn keys(pipeline: &Pipeline) -> (bool, bool) {
    let receipts: BTreeSet<_> =
        pipeline.receipts.iter().map(|(place, row)| (*place, row.id.as_ref())).collect();
    let named = pipeline.events.iter().all(|row| row.id.is_some());
    let receipts_named = pipeline.receipts.iter().all(|(_, row)| row.id.is_some());
    let receipts = receipts_named && receipts.len() == pipeline.receipts.len();
    (pipeline.event_ids_unique() && named, receipts)
}

fn config(pipeline: &Pipeline, producer: &Place, consumer: &Place) -> String {
    let rules = &pipeline.rules;
    let window = if pipeline.window >= DAY { "1d".to_owned() } else { format!("{}us", pipeline.window) };
    let mut text = format!("time_zone = \"{}\"\n{}{}", pipeline.zone, producer.toml("p"), consumer.toml("c"));
    let _ = writeln!(
        text,
        "[[flows]]\nname = \"{}\"\nwindow = \"{window}\"\ngrace = \"{}us\"",
        rules.name, rules.grace
    );
    if let Some(late) = rules.late_after {
        let _ = writeln!(text, "late_after = \"{late}us\"");
    }
    let after = if rules.rows_vanish { "delete" } else { "keep" };
    let _ = writeln!(
        text,
        "stuck_after = \"{}us\"\n[flows.events]\ndatabase = \"p\"\ntable = \"event\"\nwhere = \"sort <> 'foreign'\"\n\
         id = \"msg_id\"\ncreated_at = \"created_at\"\nacked_at = \"sent_at\"\nacked = \"status = 'acked'\"\n\
         pending = \"status = 'pending'\"\nfailed = \"status = 'failed'\"\nafter_ack = \"{after}\"",
        rules.stuck_after
    );
    for place in 0..rules.consumers.len() {
        text += &consumer_part(pipeline, place);
    }
    text
}

fn consumer_part(pipeline: &Pipeline, place: usize) -> String {
    let rules = &pipeline.rules.consumers[place];
    let name = &rules.name;
    let mut text = format!(
        "[[flows.consumers]]\nname = \"{name}\"\ndatabase = \"c\"\ntable = \"consumed_message\"\nconsumer = \"consumer\"\n\
         id = \"msg_id\"\nconsumed_at = \"consumed_at\"\n"
    );
    for (key, at) in [("since", rules.since), ("until", rules.until)] {
        if let Some(at) = at {
            let _ = writeln!(text, "{key} = \"{at}\"");
        }
    }
    if let Some(kept) = rules.retention {
        let _ = writeln!(text, "retention = \"{kept}us\"");
    }
    if pipeline.only_paid[place] {
        text += "expects = \"sort = 'paid'\"\n";
    }
    text + &format!(
        "[flows.consumers.dead_letters]\ntable = \"dead_letter\"\nwhere = \"consumer = '{name}'\"\nid = \"msg_id\"\n\
         dead_at = \"failed_at\"\nclosed = \"discarded_at IS NOT NULL\"\nreason = \"error\"\n"
    )
}

async fn judged(
    pipeline: &Pipeline,
    producer: &Place,
    consumer: &Place,
    unique: (bool, bool),
    strategy: &str,
) -> Run {
    let story = pipeline.to_story().unwrap();
    producer.clear().await;
    consumer.clear().await;
    producer.tell(&story, Half::Producer, unique.0).await;
    consumer.tell(&story, Half::Consumer, unique.1).await;
    let text = config(pipeline, producer, consumer);
    let config = load(&text.replace("[[flows]]\n", &format!("[[flows]]\nstrategy = \"{strategy}\"\n")));
    let span = pipeline.rules.span;
    let request = Request::Range(Edge::At(span.from), Edge::At(span.until));
    let plan = plan(&config, &request, &[], pipeline.rules.as_of).unwrap();
    reconcile(&plan, &config, "test".to_owned(), &|_| {}).await
}

/// Where the run and the oracle disagree.
fn wrong(pipeline: &Pipeline, run: &Run) -> Vec<String> {
    let truth = truth(pipeline);
    let (found, right) = (found(&run.differences), differences(pipeline, &truth));
    let false_alarms =
        found.iter().filter(|told| !right.contains(told)).map(|told| format!("false alarm: {told:?}"));
    let lost = right.iter().filter(|told| !found.contains(told)).map(|told| format!("not found: {told:?}"));
    let mut wrong: Vec<_> = false_alarms.chain(lost).collect();
    if found.len() != right.len() {
        wrong.push(format!("{} differences instead of {}", found.len(), right.len()));
    }
    for (place, report) in run.flows[0].consumers.iter().enumerate() {
        let Some(counts) = &report.counts else {
            wrong.push(format!("{} was not judged: {:?}", report.name, run.problems));
            continue;
        };
        for kind in Kind::ALL.into_iter().filter(|kind| !kind.is_of_producer()) {
            let of = |it: &&crate::oracle::Verdict| it.consumer == Some(place) && it.kind == kind;
            let inside =
                |it: &&crate::oracle::Verdict| it.placed.is_some_and(|at| pipeline.rules.span.contains(at));
            let right = truth.verdicts.iter().filter(of).filter(inside).count() as u64;
            if counts.totals.of(kind) != right {
                wrong.push(format!("{}: {} {kind} instead of {right}", report.name, counts.totals.of(kind)));
            }
        }
        if counts.residual() != 0 {
            wrong.push(format!("{}: residual {}", report.name, counts.residual()));
        }
    }
    wrong
}

#[tokio::test]
async fn two_hundred_pipelines_through_the_databases_agree_with_the_oracle() {
    let mut places = Vec::new();
    for dialect in DIALECTS {
        if let (Some(producer), Some(consumer)) = (Place::new(dialect).await, Place::new(dialect).await) {
            places.push((producer, consumer));
        }
    }
    let seeds = (FIRST_SEED..).filter_map(|seed| Some((seed, tellable(seed)?)));
    for (turn, (seed, pipeline)) in seeds.take(PIPELINES).enumerate() {
        let (producer, consumer) =
            (&places[turn % places.len()].0, &places[turn / places.len() % places.len()].1);
        // Where no id comes twice the tables may have keys that say so, and pairs are dropped while reading.
        let keyed = turn % 2 == 0 && keys(&pipeline) == (true, true);
        let run = judged(&pipeline, producer, consumer, (keyed, keyed), "auto").await;
        let wrong = wrong(&pipeline, &run);
        let pair = (producer.dialect, consumer.dialect);
        assert!(
            wrong.is_empty(),
            "seed {seed}, {pair:?}, keyed {keyed}: {wrong:#?}\n{:#?}\n{pipeline}",
            run.problems
        );
    }
    for (producer, consumer) in places {
        producer.remove().await;
        consumer.remove().await;
    }
}

#[tokio::test]
async fn pipelines_that_are_read_by_sums_agree_with_the_oracle() {
    let places = servers().await;
    let seeds = (FIRST_SEED..).filter_map(|seed| Some((seed, tellable(seed)?)));
    let keyed = seeds.filter(|(_, pipeline)| keys(pipeline) != (false, false) && !pipeline.rules.rows_vanish);
    let (mut used, mut seen) = (0, 0);
    for (turn, (seed, mut pipeline)) in keyed.take(SUMMED).enumerate().filter(|_| !places.is_empty()) {
        // What sums do not show.
        pipeline.rules.late_after = None;
        let (producer, consumer) =
            (&places[turn % places.len()], &places[turn / places.len() % places.len()]);
        let (events, receipts) = keys(&pipeline);
        // Either key is enough by itself.
        let keys = if turn % 3 == 0 && events { (true, false) } else { (events, receipts) };
        let run = judged(&pipeline, producer, consumer, keys, "sketch").await;
        let wrong = wrong(&pipeline, &run);
        let (pair, hints) = ((producer.dialect, consumer.dialect), &run.flows[0].hints);
        assert!(wrong.is_empty(), "seed {seed}, {pair:?}, {keys:?}: {wrong:#?} {hints:#?}\n{pipeline}");
        used += u32::from(run.flows[0].consumers.iter().all(|report| report.strategy == Strategy::Sketch));
        seen += 1;
    }
    assert!(used * 3 > seen || seen == 0, "sums were used in {used} of {seen} pipelines");
    for place in places {
        place.remove().await;
    }
}

#[tokio::test]
async fn pipelines_that_are_read_packed_agree_with_the_oracle() {
    let places = servers().await;
    let seeds = (FIRST_SEED..).filter_map(|seed| Some((seed, tellable(seed)?)));
    let keyed = seeds.filter(|(_, pipeline)| keys(pipeline) == (true, true) && !pipeline.rules.rows_vanish);
    let (mut used, mut seen) = (0, 0);
    for (turn, (seed, pipeline)) in keyed.take(SUMMED).enumerate().filter(|_| !places.is_empty()) {
        let (producer, consumer) =
            (&places[turn % places.len()], &places[turn / places.len() % places.len()]);
        let run = judged(&pipeline, producer, consumer, (true, true), "packed").await;
        let wrong = wrong(&pipeline, &run);
        let (pair, hints) = ((producer.dialect, consumer.dialect), &run.flows[0].hints);
        assert!(wrong.is_empty(), "seed {seed}, {pair:?}: {wrong:#?} {hints:#?}\n{pipeline}");
        used += u32::from(run.flows[0].consumers.iter().all(|report| report.strategy == Strategy::Packed));
        seen += 1;
    }
    assert_eq!(used, seen, "read packed");
    for place in places {
        place.remove().await;
    }
}
