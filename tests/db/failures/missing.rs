//! Tables, columns and files that are not there.

use super::{database, everywhere, run, usual};
use crate::child;
use crate::world::{Flow, Place};
use msgrecon::config::Dialect;

fn both(place: &Place) -> String {
    database("p", &place.url) + &database("c", &place.url)
}

#[tokio::test]
async fn a_dedup_table_that_is_missing() {
    everywhere(async |place| {
        place.execute(&["DROP TABLE consumed_message"]).await;
        let outcome = run(&both(place), &usual()).await;
        outcome.assert_failed("c", &["consumed_message", "billing"]);
        assert_eq!(outcome.flow()["events"]["acked"], 2, "what could be read is there");
    })
    .await;
}

#[tokio::test]
async fn an_event_table_that_is_missing() {
    everywhere(async |place| {
        place.execute(&["DROP TABLE event"]).await;
        let outcome = run(&both(place), &usual()).await;
        outcome.assert_failed("p", &["event"]);
        outcome.assert_events_unread();
    })
    .await;
}

#[tokio::test]
async fn a_column_that_is_missing() {
    everywhere(async |place| {
        let flow = usual().replace("consumed_at = \"consumed_at\"", "consumed_at = \"eaten_at\"");
        run(&both(place), &flow).await.assert_failed("c", &["eaten_at", "consumed_message"]);
        let flow = usual().replace("acked_at = \"sent_at\"", "acked_at = \"went_at\"");
        let outcome = run(&both(place), &flow).await;
        outcome.assert_failed("p", &["went_at", "event"]);
        outcome.assert_events_unread();
    })
    .await;
}

#[tokio::test]
async fn a_dead_letter_table_that_fails_leaves_its_consumer_unjudged() {
    everywhere(async |place| {
        place.execute(&["DROP TABLE dead_letter"]).await;
        let outcome = run(&both(place), &Flow::default().toml()).await;
        outcome.assert_failed("c", &["dead_letter", "billing"]);
    })
    .await;
}

/// Of two consumers the one whose table is there is judged.
#[tokio::test]
async fn a_consumer_that_fails_takes_no_other_with_it() {
    everywhere(async |place| {
        let flow =
            Flow { dead_letters: false, consumers: vec!["billing", "mailer"], ..Flow::default() }.toml();
        let (billing, mailer) = flow.rsplit_once("table = \"consumed_message\"").unwrap();
        let outcome = run(&both(place), &format!("{billing}table = \"nowhere\"{mailer}")).await;
        assert_eq!(
            child::code(&outcome.output),
            1,
            "b is missing at billing: {}",
            child::said(&outcome.output)
        );
        let consumers = &outcome.flow()["consumers"];
        assert_eq!(
            (&consumers[0]["totals"]["ok"], &consumers[0]["totals"]["missing"]),
            (&1.into(), &1.into())
        );
        assert_eq!((&consumers[1]["totals"], &consumers[1]["outcome"]), (&().into(), &"incomplete".into()));
        assert_eq!(
            outcome.report["run"]["complete"], false,
            "over a threshold and incomplete: both are said"
        );
        assert!(outcome.problem().1.contains("nowhere"));
    })
    .await;
}

#[tokio::test]
async fn a_file_that_does_not_exist_is_not_made() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("nowhere.db");
    let url = format!("sqlite://{}", file.display());
    let outcome = run(&(database("p", &url) + &database("c", &url)), &usual()).await;
    outcome.assert_failed("p", &["nowhere.db"]);
    outcome.assert_events_unread();
    assert!(!file.exists(), "a source is never written to");
    let asked = format!("{url}?mode=rwc");
    run(&(database("p", &asked) + &database("c", &asked)), &usual())
        .await
        .assert_failed("p", &["nowhere.db"]);
    assert!(!file.exists(), "not even where its URL asks for it");
}

#[tokio::test]
async fn a_file_that_is_not_a_database_is_left_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("letter.db");
    let text = "Dear reader, this is no database. ".repeat(200);
    std::fs::write(&file, &text).unwrap();
    let url = format!("sqlite://{}", file.display());
    let outcome = run(&(database("p", &url) + &database("c", &url)), &usual()).await;
    outcome.assert_failed("p", &["not a database", "letter.db"]);
    outcome.assert_events_unread();
    assert_eq!(std::fs::read_to_string(&file).unwrap(), text);
    assert_eq!(child::files(folder.path()).len(), 1, "no journal beside it");
}

/// A database that the account may use and that is not there.
#[tokio::test]
async fn a_database_that_is_missing() {
    everywhere(async |place| {
        if place.dialect == Dialect::Sqlite {
            return;
        }
        let url = format!("{}_gone", place.url);
        let outcome = run(&(database("p", &url) + &database("c", &place.url)), &usual()).await;
        outcome.assert_failed("p", &["_gone"]);
        outcome.assert_events_unread();
    })
    .await;
}
