//! Connections that break in the middle of a read.

use super::{Outcome, STEADY, database, run_in, told, usual};
use crate::child;
use crate::net::{Mischief, Relay, at_port, host_and_port};
use crate::world::{DIALECTS, Place};
use msgrecon::config::Dialect;
use msgrecon::story::Half;
use serde_json::Value;
use std::fmt::Write as _;
use std::time::{Duration, Instant};

const MESSAGES: usize = 4_000;
/// Well after the session is set up and the tables are looked at, well before the last row.
const CUT_AFTER: usize = 60_000;

fn story() -> String {
    let mut text = "day 2026-03-02\n".to_owned();
    for number in 0..MESSAGES {
        let (minute, second) = (number / 60 % 60, number % 60);
        let at = format!("{:02}:{minute:02}:{second:02}", number / 3_600);
        let _ = writeln!(text, "event message-number-{number} acked {at} {at}");
        // Every thousandth is lost.
        if number % 1_000 != 7 {
            let _ = writeln!(text, "receipt message-number-{number} billing {at}.5");
        }
    }
    text
}

/// A run whose consumer (or producer) is read through a relay; the relay, and the same run undisturbed.
async fn through(
    dialect: Dialect,
    mischief: Mischief,
    side: Half,
) -> Option<(Relay, Outcome, Outcome, Duration)> {
    let place = told(dialect, &story()).await?;
    let steady = told(Dialect::Sqlite, STEADY).await.unwrap();
    let relay = Relay::new(host_and_port(&place.url), mischief);
    let url = at_port(&place.url, relay.port);
    let (producer, consumer) = match side {
        Half::Producer => (&url, &place.url),
        Half::Consumer => (&place.url, &url),
    };
    let folder = tempfile::tempdir().unwrap();
    let start = Instant::now();
    let disturbed = run_in(folder.path(), &pair(producer, consumer), &usual(), &steady);
    let taken = start.elapsed();
    let calm = run_in(folder.path(), &pair(&place.url, &place.url), &usual(), &steady);
    finish(place, steady).await;
    Some((relay, disturbed, calm, taken))
}

async fn finish(place: Place, steady: Place) {
    place.remove().await;
    steady.remove().await;
}

fn pair(producer: &str, consumer: &str) -> String {
    database("p", producer) + &database("c", consumer)
}

fn servers() -> impl Iterator<Item = Dialect> {
    DIALECTS.into_iter().filter(|dialect| *dialect != Dialect::Sqlite)
}

/// A report without what differs between any two runs.
fn timeless(report: &Value) -> Value {
    let mut report = report.clone();
    report["run"]["id"] = Value::Null;
    report["run"]["last_run"] = Value::Null;
    report["flows"].as_array_mut().unwrap().iter_mut().for_each(|flow| flow["life"] = Value::Null);
    report["differences"].as_array_mut().unwrap().iter_mut().for_each(|one| one["status"] = Value::Null);
    report
}

#[tokio::test]
async fn a_connection_that_breaks_once_is_tried_again() {
    for dialect in servers() {
        for side in [Half::Producer, Half::Consumer] {
            let mischief = Mischief { cut_after: Some(CUT_AFTER), cuts: 1, ..Mischief::default() };
            let Some((relay, disturbed, calm, _)) = through(dialect, mischief, side).await else { continue };
            eprintln!("on {dialect:?}, {side:?}: {}", child::err(&disturbed.output));
            assert_eq!(relay.cuts(), 1, "the connection broke in the middle");
            assert!(relay.connections() > 1, "and another was made");
            assert_eq!(disturbed.flow()["complete"], true);
            assert_eq!(disturbed.flow()["consumers"][0]["totals"]["missing"], 4);
            assert_eq!(timeless(&disturbed.report), timeless(&calm.report));
            assert_eq!(child::code(&disturbed.output), 1);
        }
    }
}

#[tokio::test]
async fn a_connection_that_always_breaks_is_given_up_and_named() {
    for dialect in servers() {
        for side in [Half::Producer, Half::Consumer] {
            let mischief = Mischief { cut_after: Some(CUT_AFTER), cuts: usize::MAX, ..Mischief::default() };
            let Some((relay, disturbed, _, taken)) = through(dialect, mischief, side).await else { continue };
            eprintln!("on {dialect:?}, {side:?}");
            assert!((1..=40).contains(&relay.cuts()), "{} attempts", relay.cuts());
            assert!(taken < Duration::from_mins(1), "{taken:?}");
            match side {
                Half::Producer => {
                    disturbed.assert_failed("p", &["event", "the connection broke off"]);
                    disturbed.assert_events_unread();
                }
                Half::Consumer => {
                    disturbed
                        .assert_failed("c", &["billing", "consumed_message", "the connection broke off"]);
                }
            }
        }
    }
}

/// The server goes silent in mid-read, and the connection stays open.
#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_falls_silent_is_given_up_in_bounded_time() {
    let mischief =
        Mischief { cut_after: Some(CUT_AFTER), cuts: usize::MAX, silent: true, ..Mischief::default() };
    // Side by side: most of the time is spent waiting.
    let runs = servers().map(|dialect| tokio::spawn(through(dialect, mischief.clone(), Half::Consumer)));
    for run in futures_util::future::join_all(runs).await {
        let Some((_, disturbed, _, taken)) = run.unwrap() else { continue };
        assert!(taken < Duration::from_secs(90), "{taken:?}");
        disturbed.assert_failed("c", &["billing", "consumed_message"]);
    }
}
