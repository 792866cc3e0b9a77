//! Accounts and servers that refuse.

use super::{Outcome, database, everywhere, run, usual};
use crate::account::{Account, PASSWORD};
use crate::child;
use crate::net::{Silent, at_port, host_and_port};
use crate::world::Place;
use std::time::{Duration, Instant};

/// The test on each server, with an account of its own.
async fn with_account(test: impl AsyncFn(&Place, &Account<'_>)) {
    everywhere(async |place| {
        let Some(account) = Account::new(place).await else { return };
        test(place, &account).await;
        account.remove().await;
    })
    .await;
}

fn assert_no_password(outcome: &Outcome) {
    for word in [PASSWORD, "n0tTheOne"] {
        assert!(!child::said(&outcome.output).contains(word), "{}", child::said(&outcome.output));
    }
}

#[tokio::test]
async fn a_select_right_that_is_missing() {
    with_account(async |place, account| {
        account.may_read("event").await;
        let databases = database("p", &account.url()) + &database("c", &account.url());
        let outcome = run(&databases, &usual()).await;
        outcome.assert_failed("c", &["denied", "consumed_message", "billing"]);
        assert_eq!(outcome.flow()["events"]["acked"], 2, "what may be read is there");
        assert_no_password(&outcome);

        account.may_read("consumed_message").await;
        let outcome = run(&databases, &usual()).await;
        assert_eq!(child::code(&outcome.output), 1, "b is missing: {}", child::said(&outcome.output));
        assert_eq!(outcome.flow()["consumers"][0]["totals"]["missing"], 1, "SELECT is all that it needs");
        let _ = place;
    })
    .await;
}

#[tokio::test]
async fn a_right_to_read_the_events_that_is_missing() {
    with_account(async |place, account| {
        account.may_read("consumed_message").await;
        let outcome = run(&(database("p", &account.url()) + &database("c", &place.url)), &usual()).await;
        outcome.assert_failed("p", &["denied", "event"]);
        outcome.assert_events_unread();
    })
    .await;
}

#[tokio::test]
async fn a_wrong_password() {
    with_account(async |place, account| {
        account.may_read("event").await;
        let wrong = account.url_with("n0tTheOne");
        let outcome = run(&(database("p", &wrong) + &database("c", &place.url)), &usual()).await;
        outcome.assert_failed("p", &[account.name.as_str(), "password"]);
        outcome.assert_events_unread();
        assert_no_password(&outcome);
    })
    .await;
}

#[tokio::test]
async fn a_connection_that_is_refused() {
    with_account(async |place, _| {
        // Port 1 of loopback: nobody listens there.
        let nobody = at_port(&place.url, 1);
        let outcome = run(&(database("p", &place.url) + &database("c", &nobody)), &usual()).await;
        outcome.assert_failed("c", &["127.0.0.1:1", "refused", "billing"]);
        let outcome = run(&(database("p", &nobody) + &database("c", &place.url)), &usual()).await;
        outcome.assert_failed("p", &["127.0.0.1:1", "refused"]);
        outcome.assert_events_unread();
        assert_ne!(host_and_port(&place.url), "127.0.0.1:1");
    })
    .await;
}

#[tokio::test]
async fn a_server_that_accepts_and_never_speaks_ends_in_bounded_time() {
    let silent = Silent::new();
    let urls = ["postgres", "mysql"].map(|scheme| format!("{scheme}://app@127.0.0.1:{}/shop", silent.port));
    let [first, second] = &urls;
    let start = Instant::now();
    let outcome = run(&(database("p", first) + &database("c", second)), &usual()).await;
    assert!(start.elapsed() < Duration::from_mins(1), "{:?}", start.elapsed());
    outcome.assert_failed("p", &["127.0.0.1"]);
    outcome.assert_events_unread();
    assert!(silent.stands());
}
