//! A file holds a run up, and not for ever.

use super::{ARGUMENTS, Under, assert_balanced, config, tell};
use crate::child;
use crate::world::{DIALECTS, Place};
use msgrecon::config::Dialect;
use sqlx::{Connection as _, Row as _};
use std::time::Duration;

const MESSAGES: usize = 20;

/// Sessions on the place's database, but for the one that asks.
async fn sessions(place: &Place) -> i64 {
    let mut session = sqlx::PgConnection::connect(&place.url).await.unwrap();
    let others = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()";
    let count = sqlx::query(others).fetch_one(&mut session).await.unwrap().get(0);
    session.close().await.unwrap();
    count
}

#[tokio::test]
async fn no_statement_starts_while_the_file_is_there() {
    for dialect in DIALECTS {
        for by_option in [false, true] {
            let Some(place) = Place::new(dialect).await else { continue };
            tell(&place, MESSAGES).await;
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("hold");
            std::fs::write(&file, "").unwrap();
            let text = config(&place, "");
            let (text, option) = if by_option {
                (text, " --pause-file hold")
            } else {
                (format!("pause_file = 'hold'\n{text}"), "")
            };
            let mut under = Under::way(folder.path(), &text, &format!("{ARGUMENTS}{option}"));
            under.says("paused: ");
            tokio::time::sleep(Duration::from_millis(700)).await;
            assert!(under.is_at_work());
            if dialect == Dialect::Postgres {
                assert_eq!(sessions(&place).await, 0);
            }
            std::fs::remove_file(&file).unwrap();
            let output = under.ends();
            assert_balanced(&output, MESSAGES);
            let log = child::err(&output);
            assert_eq!((log.matches("paused: ").count(), log.matches("goes on").count()), (1, 1), "{log}");
            place.remove().await;
        }
    }
}

#[tokio::test]
async fn a_pause_that_lasts_too_long_ends_incomplete() {
    for dialect in DIALECTS {
        let Some(place) = Place::new(dialect).await else { continue };
        tell(&place, MESSAGES).await;
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("hold"), "").unwrap();
        let text = format!("pause_file = 'hold'\npause_max = '600ms'\n{}", config(&place, ""));
        let output = child::run(folder.path(), &text, ARGUMENTS);
        assert_eq!(child::code(&output), 3, "{}", child::said(&output));
        let said = child::said(&output);
        for word in ["paused for 600ms in all (`pause_max`)", "hold is still there; remove it"] {
            assert!(said.contains(word), "{word:?} is not in {said}");
        }
        assert_eq!(said.matches("paused: ").count(), 1, "{said}");
        place.remove().await;
    }
}
