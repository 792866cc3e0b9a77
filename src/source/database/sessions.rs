//! The sessions of a database, at hand for one statement after the other.
//!
//! The driver's pool makes them, and would ask each before and after every statement whether it is still there: two round
//! trips more, and as much work as a small statement is itself. It would also take them in turn, so that each prepares every
//! statement and reads every page for the first time. Here the one that was used last is taken first, and asked only after
//! a rest.

use super::Server;
use crate::clock::Stopwatch;
use sqlx::Connection as _;
use sqlx::pool::PoolConnection;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// What has rested so long is asked whether it is still there.
const REST: Duration = Duration::from_secs(5);
/// So long at the most.
const PATIENCE: Duration = Duration::from_secs(5);

/// As many sessions as a database is allowed.
pub(in crate::source) struct Sessions<D: Server> {
    pool: sqlx::Pool<D>,
    places: Semaphore,
    /// Those that nobody uses, the last one on top, and since when.
    free: Mutex<Vec<Free<D>>>,
    stopwatch: Stopwatch,
}

struct Free<D: Server> {
    connection: PoolConnection<D>,
    roomy: bool,
    since: Duration,
}

/// One of them, for one user. If it is dropped in the middle of something, the pool sees to it.
pub(in crate::source) struct Session<'s, D: Server> {
    pub connection: PoolConnection<D>,
    /// It was told to keep memory for long answers.
    pub roomy: bool,
    _place: Option<SemaphorePermit<'s>>,
}

impl<D: Server> Sessions<D> {
    /// None yet; at the most so many.
    pub fn of(pool: sqlx::Pool<D>, max: u32) -> Self {
        let places = Semaphore::new(max.max(1) as usize);
        Self { pool, places, free: Mutex::default(), stopwatch: Stopwatch::start() }
    }

    /// Waits until one is free.
    pub async fn take(&self) -> Result<Session<'_, D>, sqlx::Error> {
        // Never closed, so there always is a place.
        let place = self.places.acquire().await.ok();
        loop {
            let last = self.free().pop();
            let Some(Free { mut connection, roomy, since }) = last else {
                let connection = self.pool.acquire().await?;
                return Ok(Session { connection, roomy: false, _place: place });
            };
            if self.stopwatch.elapsed().saturating_sub(since) < REST || is_there(&mut connection).await {
                return Ok(Session { connection, roomy, _place: place });
            }
            connection.close_on_drop();
        }
    }

    /// Gives one back that has nothing more to say.
    pub fn keep(&self, session: Session<'_, D>) {
        let Session { connection, roomy, .. } = session;
        self.free().push(Free { connection, roomy, since: self.stopwatch.elapsed() });
    }

    /// Ends them.
    pub async fn close(&self) {
        self.free().clear();
        self.pool.close().await;
    }

    /// What is locked is whole between any two statements.
    fn free(&self) -> MutexGuard<'_, Vec<Free<D>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn is_there<D: Server>(connection: &mut PoolConnection<D>) -> bool {
    tokio::time::timeout(PATIENCE, connection.ping()).await.is_ok_and(|answer| answer.is_ok())
}
