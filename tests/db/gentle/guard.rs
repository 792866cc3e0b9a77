//! A database with too much to do is waited for, and not for ever.

use super::{ARGUMENTS, Under, assert_balanced, assert_incomplete, config, tell};
use crate::account::Account;
use crate::child;
use crate::world::{DIALECTS, Place};
use msgrecon::config::Dialect;
use sqlx::{Connection as _, Executor as _, Row as _};
use std::time::{Duration, Instant};
use tokio::task::JoinSet;

const MESSAGES: usize = 20;

/// A database with a table that says how much it has to do.
async fn with_load(dialect: Dialect, load: &str) -> Option<Place> {
    let place = Place::new(dialect).await?;
    tell(&place, MESSAGES).await;
    place.execute(&["CREATE TABLE busy (n INTEGER)", &format!("INSERT INTO busy VALUES ({load})")]).await;
    Some(place)
}

fn guard(bounds: &str) -> String {
    format!("[databases.c.guard]\n{bounds}")
}

#[tokio::test]
async fn a_run_waits_while_a_bound_is_exceeded_and_then_goes_on() {
    for dialect in DIALECTS {
        for (bounds, says) in [
            ("max_running = 25\nrunning = 'SELECT n FROM busy'", "26 statements of others"),
            ("max_lag = '25s'\nlag = 'SELECT n FROM busy'", "the replica is 26 s behind"),
        ] {
            let Some(place) = with_load(dialect, "26").await else { continue };
            let folder = tempfile::tempdir().unwrap();
            let bounds = guard(&format!("{bounds}\nevery = '100ms'"));
            let mut under = Under::way(folder.path(), &config(&place, &bounds), ARGUMENTS);
            under.says(says);
            tokio::time::sleep(Duration::from_millis(500)).await;
            assert!(under.is_at_work());
            place.execute(&["UPDATE busy SET n = 25"]).await;
            let output = under.ends();
            assert_balanced(&output, MESSAGES);
            let log = child::err(&output);
            let lines = (log.matches("waiting: ").count(), log.matches("goes on").count());
            assert_eq!(lines, (1, 1), "{log}");
            place.remove().await;
        }
    }
}

#[tokio::test]
async fn one_that_stays_exceeded_ends_incomplete() {
    for dialect in DIALECTS {
        let Some(place) = with_load(dialect, "7").await else { continue };
        let folder = tempfile::tempdir().unwrap();
        let bounds = guard("max_running = 6\nrunning = 'SELECT n FROM busy'\nevery = '50ms'\nwait = '700ms'");
        let output = child::run(folder.path(), &config(&place, &bounds), ARGUMENTS);
        let words =
            ["too busy to be read: 7 statements", "`guard.max_running` is 6", "700ms", "run again later"];
        assert_incomplete(&output, 3, &words);
        place.remove().await;
    }
}

/// So many sessions that are busy for a while.
async fn crowd(place: &Place, heads: usize) -> JoinSet<Instant> {
    let mut crowd = JoinSet::new();
    for _ in 0..heads {
        if place.dialect == Dialect::Postgres {
            let mut session = sqlx::PgConnection::connect(&place.url).await.unwrap();
            crowd.spawn(async move {
                session.execute("SELECT pg_sleep(4)").await.unwrap();
                Instant::now()
            });
        } else {
            let mut session = sqlx::MySqlConnection::connect(&place.url).await.unwrap();
            crowd.spawn(async move {
                session.execute("SELECT SLEEP(4)").await.unwrap();
                Instant::now()
            });
        }
    }
    crowd
}

#[tokio::test(flavor = "multi_thread")]
async fn the_server_itself_says_how_many_statements_run() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let Some(place) = with_load(dialect, "0").await else { continue };
        let crowd = crowd(&place, 21).await;
        let folder = tempfile::tempdir().unwrap();
        let bounds = guard("max_running = 20\nmax_lag = '30s'\nevery = '100ms'\nwait = '5m'");
        let mut under = Under::way(folder.path(), &config(&place, &bounds), ARGUMENTS);
        under.says("statements of others run there, and `guard.max_running` is 20");
        under.says("goes on");
        let went_on = Instant::now();
        assert_balanced(&under.ends(), MESSAGES);
        let ended = crowd.join_all().await;
        assert!(ended.iter().any(|end| *end <= went_on), "it went on while all were at work");
        place.remove().await;
    }
}

#[tokio::test]
async fn an_account_that_does_not_see_the_load_is_told_what_it_needs() {
    for (dialect, bounds, words) in [
        (Dialect::Postgres, "max_running = 500", ["`guard.max_running`", "pg_read_all_stats"]),
        (Dialect::Mysql, "max_lag = '30s'", ["`guard.max_lag`", "REPLICATION CLIENT"]),
    ] {
        let Some(place) = with_load(dialect, "0").await else { continue };
        let account = Account::new(&place).await.unwrap();
        account.may_read("consumed_message").await;
        let folder = tempfile::tempdir().unwrap();
        let own = format!("[databases.c]\nurl = '{}'", account.url());
        let text = config(&place, &guard(bounds));
        let text = text.replace(&format!("[databases.c]\nurl = '{}'", place.url), &own);
        // Somebody whose session cannot be looked into.
        let _other = crowd(&place, 1).await;
        assert_incomplete(&child::run(folder.path(), &text, ARGUMENTS), 2, &words);
        account.remove().await;
        place.remove().await;
    }
}

#[tokio::test]
async fn sessions_say_whose_they_are() {
    let Some(place) = with_load(Dialect::Postgres, "1").await else { return };
    for (parameter, expected) in [("", "msgrecon"), ("?application_name=nightly", "nightly")] {
        place.execute(&["UPDATE busy SET n = 1"]).await;
        let folder = tempfile::tempdir().unwrap();
        let bounds = guard("max_running = 0\nrunning = 'SELECT n FROM busy'\nevery = '100ms'");
        let text = config(&place, &bounds).replace(&place.url, &format!("{}{parameter}", place.url));
        let mut under = Under::way(folder.path(), &text, ARGUMENTS);
        under.says("waiting: ");
        let mut session = sqlx::PgConnection::connect(&place.url).await.unwrap();
        let sessions = "SELECT DISTINCT application_name FROM pg_stat_activity \
                        WHERE datname = current_database() AND pid <> pg_backend_pid()";
        let names = sqlx::query(sessions).fetch_all(&mut session).await.unwrap();
        let names: Vec<String> = names.iter().map(|row| row.get(0)).collect();
        assert_eq!(names, [expected]);
        session.close().await.unwrap();
        place.execute(&["UPDATE busy SET n = 0"]).await;
        assert_balanced(&under.ends(), MESSAGES);
    }
    place.remove().await;
}
