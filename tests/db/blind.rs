//! Rows that a run could fail to see: none may pass for agreement.

use crate::world::{DIALECTS, Flow, Place, at, brief, flow, load, run_day, totals};
use msgrecon::config;
use msgrecon::model::{Kind, Outcome, Run};
use msgrecon::story::{Half, Story};
use std::path::Path;

const DAY: &str = "2026-03-02";
const AS_OF: &str = "2026-03-03T06:00:00Z";

/// Texts that look like times of the day to a comparison of texts, and are none.
const UNREADABLE: [&str; 5] = [
    "2026-03-02 10:00:00 UTC",
    "2026-03-02 10:00:00.123 +0000 UTC",
    "2026-03-02 25:00:00",
    "2026-03-02 yesterday",
    "2026-03-02 10:60:00",
];

fn text_config(place: &Place) -> String {
    place.toml("p")
        + "[[flows]]\nname = \"orders\"\n[flows.events]\ndatabase = \"p\"\ntable = \"event\"\nid = \"msg_id\"\n\
           created_at = { column = \"created\", format = \"iso8601\" }\nacked_at = { column = \"sent\", format = \"iso8601\" }\n\
           acked = \"status = 1\"\npending = \"status = 0\"\n[[flows.consumers]]\nname = \"billing\"\ndatabase = \"p\"\n\
           table = \"inbox\"\nid = \"msg_id\"\nconsumed_at = { column = \"consumed\", format = \"iso8601\" }\n"
}

async fn text_times(place: &Place, rows: &[(&str, u8, &str, &str)]) -> Run {
    place.execute(&["DROP TABLE IF EXISTS event", "DROP TABLE IF EXISTS inbox"]).await;
    let tables = [
        "CREATE TABLE event (msg_id VARCHAR(40), status INTEGER, created VARCHAR(60), sent VARCHAR(60))",
        "CREATE TABLE inbox (msg_id VARCHAR(40), consumed VARCHAR(60))",
        "INSERT INTO inbox VALUES ('fine', '2026-03-02 10:00:02')",
    ];
    place.execute(&tables).await;
    for (id, status, created, sent) in rows {
        let sent = if sent.is_empty() { "NULL".to_owned() } else { format!("'{sent}'") };
        place.execute(&[format!("INSERT INTO event VALUES ('{id}', {status}, '{created}', {sent})")]).await;
    }
    run_day(&text_config(place), DAY, AS_OF).await
}

#[tokio::test]
async fn times_that_only_look_like_times_are_listed() {
    for dialect in DIALECTS {
        let Some(place) = Place::new(dialect).await else { continue };
        let fine = ("fine", 1, "2026-03-02 10:00:00", "2026-03-02 10:00:01");
        for text in UNREADABLE {
            let run = text_times(&place, &[fine, ("acked", 1, text, text), ("waits", 0, text, "")]).await;
            assert_eq!(brief(&run), ["unattributable acked", "unattributable waits"], "{dialect:?} {text}");
            assert_eq!(totals(&run, "billing").ok, 1, "{dialect:?} {text}");
        }
        // A good creation time does not hide an ack time that cannot be read.
        let run = text_times(&place, &[fine, ("half", 1, "2026-02-20 10:00:00", UNREADABLE[0])]).await;
        assert_eq!(brief(&run), ["unattributable half"], "{dialect:?}");
        let run = text_times(&place, &[("only", 1, UNREADABLE[1], UNREADABLE[1])]).await;
        assert!(!run.complete, "nothing was compared: {:?}", run.problems);
        place.remove().await;
    }
}

#[tokio::test]
async fn receipts_without_a_time_are_counted_and_named() {
    let story = Story::parse(
        "day 2026-03-02\nevent twice acked 10:00:00 10:00:00\nreceipt twice billing 10:00:01\nreceipt twice billing -\n\
         event old acked 2026-02-01T10:00:00Z 2026-02-01T10:00:00Z\nreceipt old billing -\n",
    )
    .unwrap();
    for dialect in DIALECTS {
        let Some(place) = Place::new(dialect).await else { continue };
        place.tell(&story, Half::Producer, false).await;
        place.tell(&story, Half::Consumer, false).await;
        let config = place.toml("p") + &place.toml("c") + &Flow::default().toml();
        let run = run_day(&config, DAY, AS_OF).await;
        assert_eq!(
            (brief(&run), run.complete),
            (vec!["duplicate twice".to_owned()], true),
            "{:?}",
            run.problems
        );
        place.execute(&["INSERT INTO consumed_message VALUES (9, 'billing', 'stranger', NULL, NULL)"]).await;
        let run = run_day(&config, DAY, AS_OF).await;
        assert!(!run.complete && run.problems[0].message.contains("(stranger)"), "{:?}", run.problems);
        assert_eq!(flow(&run).consumers[0].counts.as_ref().unwrap().residual(), 0);
        place.remove().await;
    }
}

#[tokio::test]
async fn a_where_that_picks_nothing_is_said() {
    let story = Story::parse("day 2026-03-02\nevent a acked 10:00:00 10:00:00\nreceipt a billing 10:00:01\n")
        .unwrap();
    let place = Place::new(DIALECTS[0]).await.unwrap();
    place.tell(&story, Half::Producer, false).await;
    place.tell(&story, Half::Consumer, false).await;
    let config = place.toml("p")
        + &place.toml("c")
        + &Flow::default().toml().replace("topic = 'orders'", "topic = 'odrers'");
    let run = run_day(&config, DAY, AS_OF).await;
    assert_eq!(run.outcome, Outcome::Balanced, "the receipts are of another flow's events");
    let hints = flow(&run).hints.join("\n");
    assert!(hints.contains("does `where` pick the flow?"), "{hints}");
    let page = String::from_utf8(
        msgrecon::report::render(&run, msgrecon::report::Format::Table, msgrecon::report::Options::default())
            .unwrap(),
    )
    .unwrap();
    assert!(!page.contains("both sides are empty"), "{page}");
}

#[test]
fn two_consumers_cannot_share_all_rows_of_a_table() {
    let shared = Flow { consumers: vec!["billing", "mailer"], ..Flow::default() }.toml();
    let databases = "[databases.p]\nurl = 'sqlite://p.db'\n[databases.c]\nurl = 'sqlite://c.db'\n";
    assert_eq!(load(&(databases.to_owned() + &shared)).flows[0].consumers.len(), 2);
    let unmarked = shared.replacen("consumer = \"consumer\"\n", "", 1);
    let wrong = config::parse(&(databases.to_owned() + &unmarked), Path::new("m.toml"), &|_| None, &|_| {
        Ok(String::new())
    });
    let said = wrong.unwrap_err().to_string();
    assert!(said.contains("flows[0].consumers[1].table: is the table of consumer `billing` too"), "{said}");
}

#[tokio::test]
async fn a_table_without_creation_times_has_a_backlog_and_no_unattributable_rows() {
    let story = Story::parse(
        "day 2026-03-02\nevent a pending - -\nevent b acked - 10:00:00\nreceipt b billing 10:00:01\n",
    )
    .unwrap();
    let place = Place::new(DIALECTS[0]).await.unwrap();
    place.tell(&story, Half::Producer, false).await;
    place.tell(&story, Half::Consumer, false).await;
    let config = place.toml("p")
        + &place.toml("c")
        + &Flow::default().toml().replace("created_at = \"created_at\"\n", "");
    let run = run_day(&config, DAY, AS_OF).await;
    assert_eq!((brief(&run), totals(&run, "billing").of(Kind::Ok)), (Vec::new(), 1));
    let backlog = flow(&run).backlog.unwrap();
    assert_eq!((backlog.count, backlog.undated, backlog.oldest_age(at(AS_OF))), (1, 1, None));
}

#[tokio::test]
async fn without_ack_times_late_is_not_decidable() {
    let story =
        Story::parse("day 2026-03-02\nevent a acked 10:00:00 -\nreceipt a billing 15:00:00\n").unwrap();
    let place = Place::new(DIALECTS[0]).await.unwrap();
    place.tell(&story, Half::Producer, false).await;
    place.tell(&story, Half::Consumer, false).await;
    let toml = Flow::default().toml().replace("acked_at = \"sent_at\"\n", "");
    let run = run_day(&(place.toml("p") + &place.toml("c") + &toml), DAY, AS_OF).await;
    assert_eq!((brief(&run), totals(&run, "billing").of(Kind::Ok)), (Vec::new(), 1));
    assert_eq!(flow(&run).consumers[0].not_decidable, [Kind::Late]);
}
