//! The same story gives the same report on every pair of servers, and with both sides in one database.

use crate::world::{DIALECTS, Flow, Place, found, run_day};
use msgrecon::config::Dialect;
use msgrecon::report::{Format, Options, render};
use msgrecon::story::{Half, Story};

const AS_OF: &str = "2026-03-03T06:00:00Z";

const STORY: &str = r#"
day 2026-03-02
event   ok        acked    10:00:00 10:00:01
receipt ok        billing  10:00:02
receipt ok        mailer   10:00:03.25
want    ok        billing  ok
event   late      acked    11:00:00 11:00:01
receipt late      billing  13:00:00
receipt late      mailer   11:00:05
want    late      billing  late
event   twice     acked    12:00:00 12:00:01
receipt twice     billing  12:00:02
receipt twice     billing  2026-03-03T03:12:00Z
receipt twice     mailer   12:00:02
want    twice     billing  duplicate
event   dead      acked    13:00:00 13:00:01
dead    dead      billing  13:05:00 reason=timeout
receipt dead      mailer   13:00:02
want    dead      billing  dead_lettered
event   gone      acked    14:00:00 14:00:01
receipt gone      billing  14:00:02
want    gone      mailer   missing
event   "日本 ü'\"\\" acked 15:00:00 15:00:01
want    "日本 ü'\"\\" billing missing
want    "日本 ü'\"\\" mailer missing
event   waits     pending  16:00:00 -
want    waits     -        stuck
event   refused   failed   16:10:00 -
want    refused   -        publish_failed
event   acklost   pending  16:20:00 -
receipt acklost   billing  16:20:03
want    acklost   billing  ack_lost
receipt nobody    mailer   17:00:00
want    nobody    mailer   orphan
event   undated   pending  -  -
want    undated   -        unattributable
event   edge0     acked    00:00:00 00:00:00
receipt edge0     billing  2026-03-01T23:59:59.999999Z
receipt edge0     mailer   00:00:00
event   edge1     acked    23:59:59.999999 23:59:59.999999
receipt edge1     billing  2026-03-03T00:00:00Z
receipt edge1     mailer   2026-03-03T00:00:01Z
event   next      acked    2026-03-03T00:00:00Z 2026-03-03T00:00:00Z
receipt next      billing  2026-03-03T00:00:01Z
receipt nothing   audit    17:00:00
"#;

/// Every format that has no run id or time of its own in it: here all of them, since id and as-of are fixed.
fn reports(run: &msgrecon::model::Run) -> Vec<Vec<u8>> {
    Format::ALL.into_iter().map(|format| render(run, format, Options::default()).unwrap()).collect()
}

async fn pair(producer: &Place, consumer: &Place) -> Vec<Vec<u8>> {
    let story = Story::parse(STORY).unwrap();
    let flow = Flow { consumers: vec!["billing", "mailer"], ..Flow::default() };
    let config = producer.toml("p") + &consumer.toml("c") + &flow.toml();
    let run = run_day(&config, "2026-03-02", AS_OF).await;
    assert!(run.problems.is_empty(), "{:?} {:?}: {:#?}", producer.dialect, consumer.dialect, run.problems);
    assert_eq!(found(&run), story.wanted_differences(), "{:?} {:?}", producer.dialect, consumer.dialect);
    let others = &run.flows[0].consumers[0].other_consumers;
    assert_eq!(others.as_slice(), [("audit".to_owned(), 1)]);
    reports(&run)
}

async fn told(dialect: Dialect, halves: &[Half]) -> Option<Place> {
    let place = Place::new(dialect).await?;
    for half in halves {
        place.tell(&Story::parse(STORY).unwrap(), *half, false).await;
    }
    Some(place)
}

#[tokio::test]
async fn all_nine_pairs_and_one_database_give_the_same_report() {
    let one = told(Dialect::Sqlite, &[Half::Producer, Half::Consumer]).await.unwrap();
    let right = pair(&one, &one).await;
    for first in DIALECTS {
        let Some(producer) = told(first, &[Half::Producer, Half::Consumer]).await else { continue };
        assert_eq!(pair(&producer, &producer).await, right, "both sides in one {first:?}");
        for second in DIALECTS {
            let Some(consumer) = told(second, &[Half::Consumer]).await else { continue };
            assert_eq!(pair(&producer, &consumer).await, right, "{first:?} to {second:?}");
            consumer.remove().await;
        }
        producer.remove().await;
    }
}
