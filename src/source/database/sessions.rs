//! The sessions of a database, at hand for one statement after the other.
//!
//! The driver's own pool asks each before and after every statement whether it is still there: two round trips more, and as
//! much work as a small statement is itself. It also takes them in turn, so that each prepares every statement and reads
//! every page for the first time. Here the one that was used last is taken first, and asked only after a rest.

use super::{CONNECT, Server};
use crate::clock::Stopwatch;
use crate::source::error::is_soon_over;
use sqlx::Connection as _;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};

/// What has rested so long is asked whether it is still there.
const REST: Duration = Duration::from_secs(5);
/// So long at the most.
const PATIENCE: Duration = Duration::from_secs(5);
/// A server that is being started again refuses for a while, or has no place for one more; it is asked again after this.
const PAUSE: Duration = Duration::from_millis(250);

/// As many sessions as a database is allowed.
pub(in crate::source) struct Sessions<D: Server> {
    login: D::Login,
    places: Semaphore,
    /// Those that nobody uses, the last one on top, and since when.
    free: Mutex<Vec<Free<D>>>,
    stopwatch: Stopwatch,
}

struct Free<D: Server> {
    connection: D::Connection,
    roomy: bool,
    /// `None`: it may be gone, like another.
    since: Option<Duration>,
}

/// One of them, for one user. It ends with it, unless it is [given back](Sessions::keep).
pub(in crate::source) struct Session<'s, D: Server> {
    pub connection: D::Connection,
    /// It was told to keep memory for long answers.
    pub roomy: bool,
    _place: Option<SemaphorePermit<'s>>,
}

impl<D: Server> Sessions<D> {
    /// Begins with one; at the most so many.
    pub async fn begin(login: D::Login, max: u32) -> Result<Self, sqlx::Error> {
        let connection = started::<D>(&login).await?;
        let free = Free { connection, roomy: false, since: Some(Duration::ZERO) };
        let places = Semaphore::new(max.max(1) as usize);
        Ok(Self { login, places, free: Mutex::new(vec![free]), stopwatch: Stopwatch::start() })
    }

    /// Waits until one is free.
    pub async fn take(&self) -> Result<Session<'_, D>, sqlx::Error> {
        // Never closed, so there always is a place.
        let place = self.places.acquire().await.ok();
        loop {
            let last = self.free().pop();
            let Some(Free { mut connection, roomy, since }) = last else {
                let connection = self.another().await?;
                return Ok(Session { connection, roomy: false, _place: place });
            };
            let rested = since.map(|since| self.stopwatch.elapsed().saturating_sub(since));
            if rested.is_some_and(|rested| rested < REST) || is_there(&mut connection).await {
                return Ok(Session { connection, roomy, _place: place });
            }
        }
    }

    /// Starts one more. Where a server refuses that was there before, it may be back soon.
    async fn another(&self) -> Result<D::Connection, sqlx::Error> {
        let since = self.stopwatch.elapsed();
        loop {
            match started::<D>(&self.login).await {
                Err(error)
                    if is_soon_over(&error) && self.stopwatch.elapsed().saturating_sub(since) < CONNECT =>
                {
                    tokio::time::sleep(PAUSE).await;
                }
                outcome => return outcome,
            }
        }
    }

    /// One of them has ended by itself: the others are asked whether they are still there before they are used again.
    pub fn doubt(&self) {
        self.free().iter_mut().for_each(|free| free.since = None);
    }

    /// Gives one back that has nothing more to say.
    pub fn keep(&self, session: Session<'_, D>) {
        let Session { connection, roomy, .. } = session;
        self.free().push(Free { connection, roomy, since: Some(self.stopwatch.elapsed()) });
    }

    /// Ends them.
    pub async fn close(&self) {
        let all = std::mem::take(&mut *self.free());
        for free in all {
            if let Err(error) = free.connection.close().await {
                tracing::debug!("a session did not end well: {error}");
            }
        }
    }

    /// What is locked is whole between any two statements.
    fn free(&self) -> MutexGuard<'_, Vec<Free<D>>> {
        self.free.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

async fn started<D: Server>(login: &D::Login) -> Result<D::Connection, sqlx::Error> {
    tokio::time::timeout(CONNECT, D::start(login)).await.unwrap_or(Err(sqlx::Error::PoolTimedOut))
}

async fn is_there<C: sqlx::Connection>(connection: &mut C) -> bool {
    tokio::time::timeout(PATIENCE, connection.ping()).await.is_ok_and(|answer| answer.is_ok())
}
