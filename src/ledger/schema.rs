//! The ledger's schema, brought up to date by itself: `migrations/` of each dialect, forward only.

use super::error::{ErrorKind, LedgerError};
use super::sql;
use super::store::Store;
use crate::config::Dialect;
use sqlx::SqlSafeStr as _;
use sqlx::migrate::{Migration, MigrationType, Migrator};
use std::time::Duration;

/// The newest schema that this program knows.
pub const NEWEST: i64 = 2;

/// Two that begin at once meet in the middle of a migration on SQLite, which has no lock for that; the second finds the
/// work done when it looks again.
const ATTEMPTS: usize = 20;
/// Before each of them but the first.
const PAUSE: Duration = Duration::from_millis(50);

/// Brings the schema up to date, under the server's lock for migrations where it has one.
///
/// # Errors
/// A ledger of a newer version, or a server that refuses.
pub async fn migrate(store: &mut Store) -> Result<(), LedgerError> {
    if store.dialect() == Dialect::Mysql {
        let rows = store.fetch(sql::HOLD_MIGRATION_MYSQL, &[]).await?;
        if !rows.first().is_some_and(|row| row.yes(0)) {
            let message = "another run has been bringing its schema up to date for long";
            return Err(LedgerError::new(ErrorKind::Away, message).at(store.place()));
        }
    }
    let migrator = migrator(store.dialect());
    let mut outcome = store.migrate(&migrator).await;
    for _ in 1..ATTEMPTS {
        match &outcome {
            Err(error) if error.kind == ErrorKind::Away => {}
            _ => return outcome,
        }
        tokio::time::sleep(PAUSE).await;
        if store.dialect() == Dialect::Mysql {
            // A migration that was killed half-way can be run again: its statements make only what is not there.
            store.execute(sql::MIGRATION_FORGET, &[]).await?;
        }
        outcome = store.migrate(&migrator).await;
    }
    outcome
}

/// Whether some run has made the ledger in this database.
///
/// # Errors
/// A ledger that fails.
pub async fn is_there(store: &mut Store) -> Result<bool, LedgerError> {
    let question = match store.dialect() {
        Dialect::Sqlite => sql::THERE_SQLITE,
        Dialect::Postgres => sql::THERE_POSTGRES,
        Dialect::Mysql => sql::THERE_MYSQL,
    };
    Ok(store.fetch(question, &[]).await?.first().is_some_and(|row| row.yes(0)))
}

macro_rules! steps {
    ($dialect:literal) => {
        [
            ("ledger", include_str!(concat!("../../migrations/", $dialect, "/0001_ledger.sql"))),
            ("alerts", include_str!(concat!("../../migrations/", $dialect, "/0002_alerts.sql"))),
        ]
    };
}

fn migrator(dialect: Dialect) -> Migrator {
    let texts = match dialect {
        Dialect::Sqlite => steps!("sqlite"),
        Dialect::Postgres => steps!("postgres"),
        Dialect::Mysql => steps!("mysql"),
    };
    let steps = (1..).zip(texts).map(|(version, (name, text))| {
        Migration::new(version, name.into(), MigrationType::Simple, text.into_sql_str(), false)
    });
    let mut migrator = Migrator::with_migrations(steps.collect());
    // From the first version on; never to be changed.
    migrator.dangerous_set_table_name("msgrecon_migrations");
    migrator
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ledger::value::Value;

    /// Or a page would cost as much as all before it together.
    #[tokio::test]
    async fn pages_begin_where_the_last_one_ended() {
        let folder = tempfile::tempdir().unwrap();
        let url = format!("sqlite://{}/ledger.db", folder.path().display()).into();
        let mut store = Store::open(&url, true).await.unwrap();
        migrate(&mut store).await.unwrap();
        for question in [sql::DIFFERENCES_UNCHECKED, sql::DIFFERENCES_UNSEEN, sql::DIFFERENCES_SHOWN] {
            let values = vec![Value::Int(None); question.matches('?').count()];
            let plan = store.fetch(&format!("EXPLAIN QUERY PLAN {question}"), &values).await.unwrap();
            let steps: Vec<_> = plan.iter().map(|row| row.word(3)).collect();
            assert_eq!(steps.len(), 1, "{steps:?}");
            assert!(steps[0].contains("USING PRIMARY KEY (flow=? AND (consumer,id_key)>(?,?))"), "{steps:?}");
        }
        store.close().await;
    }
}
