//! What a database has to do: asked of the server, or by a query of the configuration.

use crate::config::{self, Dialect};
use crate::source::cell::Fields;
use crate::source::database::Database;
use crate::source::error::{ErrorKind, Failure};
use crate::source::sql::{self, Fragment, Query, Statement};
use std::time::Duration;

/// What a database has to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Load {
    /// Statements of others that run; `None` where nobody wants to know.
    pub running: Option<u64>,
    /// How far it is behind.
    pub lag: Lag,
}

/// How servers name the column that says it.
const LAGS: [&str; 3] = ["seconds", "Seconds_Behind_Source", "Seconds_Behind_Master"];

/// How far a replica is behind.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Lag {
    /// It is no replica, or nobody wants to know.
    None,
    /// By so much.
    Behind(Duration),
    /// It is a replica that does not replicate.
    Unknown,
}

/// Asks for what the guard bounds. `ours` statements of this run are under way.
pub async fn of(db: &Database, guard: &config::Guard, ours: u64) -> Result<Load, Failure> {
    let running = match guard.max_running {
        Some(_) => Some(running(db, guard.running.as_deref(), ours).await?),
        None => None,
    };
    let lag = match (guard.max_lag, &guard.lag) {
        (None, _) => Lag::None,
        (Some(_), Some(query)) => own_lag(db, query).await?,
        (Some(_), None) => lag(db).await?,
    };
    Ok(Load { running, lag })
}

async fn running(db: &Database, own: Option<&str>, ours: u64) -> Result<u64, Failure> {
    if let Some(query) = own {
        let number = number(db, Statement::own("guard_running", db.dialect(), query)).await;
        let number = number.map_err(|cause| named("guard.running", &cause))?;
        return number
            .map(whole)
            .ok_or_else(|| no_number("guard.running", "the number of running statements"));
    }
    let statement = sql::render(Query::GuardRunning, db.dialect(), &[])?;
    let (mut running, mut hidden) = (None, 0);
    db.once(&statement, &mut |row| {
        let count = |name| row.named(name).integer().and_then(|count| u64::try_from(count).ok());
        running = count("value");
        hidden = count("hidden").unwrap_or(0);
        Ok(())
    })
    .await?;
    if hidden > 0 {
        return Err(hidden_sessions());
    }
    let running = running.ok_or_else(|| Failure::other("the server does not say how many statements run"))?;
    // MySQL counts every statement, this one too.
    Ok(if db.dialect() == Dialect::Mysql { running.saturating_sub(ours + 1) } else { running })
}

/// What is not seen must not count as quiet.
fn hidden_sessions() -> Failure {
    let message = "`guard.max_running`: the account does not see what other accounts' sessions do; grant it \
                   pg_read_all_stats (GRANT pg_read_all_stats TO …), or give a query of your own as `guard.running`";
    Failure { kind: ErrorKind::Configuration, message: message.to_owned() }
}

async fn lag(db: &Database) -> Result<Lag, Failure> {
    if db.dialect() != Dialect::Mysql {
        return lag_of(db, &[]).await;
    }
    // Old servers know the one word, new ones the other.
    match lag_of(db, &[("role", "REPLICA".into())]).await {
        Err(failure) if failure.kind == ErrorKind::Configuration => {
            lag_of(db, &[("role", "SLAVE".into())]).await
        }
        outcome => outcome,
    }
}

async fn lag_of(db: &Database, slots: &[(&str, Fragment)]) -> Result<Lag, Failure> {
    let statement = sql::render(Query::GuardLag, db.dialect(), slots)?;
    let mut lag = Lag::None;
    let mut furthest = |row: &dyn Fields| {
        let seconds = LAGS.iter().find_map(|name| parsed(row.named(name).text()));
        // Of several sources the one that is furthest behind counts.
        lag = lag.max(seconds.map_or(Lag::Unknown, behind));
        Ok(())
    };
    match db.once(&statement, &mut furthest).await {
        Ok(()) => Ok(lag),
        Err(failure) if failure.kind == ErrorKind::Denied => Err(Failure {
            kind: ErrorKind::Configuration,
            message: format!(
                "`guard.max_lag`: {}; grant the account REPLICATION CLIENT (on MariaDB from 10.5 on REPLICA MONITOR), \
                 or give a query of your own as `guard.lag`",
                failure.message
            ),
        }),
        Err(failure) => Err(failure),
    }
}

async fn own_lag(db: &Database, query: &str) -> Result<Lag, Failure> {
    let lag = number(db, Statement::own("guard_lag", db.dialect(), query)).await;
    let lag = lag.map_err(|cause| named("guard.lag", &cause))?;
    lag.map(behind).ok_or_else(|| no_number("guard.lag", "the seconds that the replica is behind"))
}

/// The number in the first column of the last row.
async fn number(db: &Database, statement: Statement) -> Result<Option<f64>, Failure> {
    let mut found = None;
    db.once(&statement, &mut |row| {
        found = parsed(row.cell(0).text());
        Ok(())
    })
    .await?;
    Ok(found)
}

fn parsed(text: Option<String>) -> Option<f64> {
    text?.trim().parse().ok().filter(|number: &f64| number.is_finite())
}

/// A clock that is a little ahead gives less than none.
fn behind(seconds: f64) -> Lag {
    Lag::Behind(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(Duration::MAX))
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a count, cut at its bounds")]
fn whole(number: f64) -> u64 {
    number.ceil().max(0.0) as u64
}

fn named(key: &str, failure: &Failure) -> Failure {
    Failure { kind: failure.kind, message: format!("`{key}`: {}", failure.message) }
}

fn no_number(key: &str, what: &str) -> Failure {
    Failure::configuration(format!("`{key}` gave no number; make it give one row with {what}"))
}
