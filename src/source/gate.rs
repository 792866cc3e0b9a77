//! The gate of a database: every statement passes it before it starts, and pays there for the rows that it gave.
//!
//! It holds statements up while a pause file lies there, while the database has more to do than its guard allows, and
//! until the rows before are paid for at the rate that is configured. How long is decided by pure parts, `bucket` and
//! `guard`; here is where time passes.

mod bucket;
mod guard;
mod load;
mod pause;
mod waits;

pub use pause::Pause;

use super::database::Database;
use super::error::{ErrorKind, Failure};
use crate::clock::Stopwatch;
use crate::config;
use bucket::Bucket;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::{Semaphore, SemaphorePermit};
use waits::Waits;

/// So often the load is looked at, as long as it is within its bounds.
const LOOK: Duration = Duration::from_secs(1);

/// One database's gate.
pub(super) struct Gate {
    name: String,
    stopwatch: Stopwatch,
    pause: Pause,
    guard: Option<Guarded>,
    bucket: Option<Mutex<Bucket>>,
    /// One for each connection: who has passed need not wait for one, and starts at once.
    places: Semaphore,
    running: AtomicU32,
    waits: Mutex<Waits>,
}

/// A guard, and what became of it; whoever looks at the load holds the others up.
struct Guarded {
    config: config::Guard,
    state: tokio::sync::Mutex<State>,
}

#[derive(Default)]
struct State {
    /// When the load was last within its bounds.
    well_at: Option<Duration>,
    /// For how long it was waited in all.
    waited: Duration,
}

/// The right to run one statement.
pub(super) struct Pass<'g> {
    gate: &'g Gate,
    _place: Option<SemaphorePermit<'g>>,
}

impl Gate {
    /// A database's gate, with the pause that its run shares.
    pub fn new(config: &config::Database, pause: &Pause) -> Self {
        let guarded = |config: &config::Guard| Guarded {
            config: config.clone(),
            state: tokio::sync::Mutex::new(State::default()),
        };
        Self {
            name: config.name.clone(),
            stopwatch: Stopwatch::start(),
            pause: pause.clone(),
            guard: config.pace.guard.as_ref().map(guarded),
            bucket: config.pace.max_rows_per_second.map(|rate| Mutex::new(Bucket::new(rate))),
            places: Semaphore::new(config.max_connections.max(1) as usize),
            running: AtomicU32::new(0),
            waits: Mutex::default(),
        }
    }

    /// Waits until a statement may start on the database.
    pub async fn pass(&self, db: &Database) -> Result<Pass<'_>, Failure> {
        // Never closed, so there always is a place.
        let place = self.places.acquire().await.ok();
        self.pay().await;
        self.pause().await?;
        if let Some(guarded) = &self.guard {
            // Boxed: it runs statements itself, below the one that waits here.
            Box::pin(self.heed(db, guarded)).await?;
        }
        self.running.fetch_add(1, Ordering::Relaxed);
        Ok(Pass { gate: self, _place: place })
    }

    /// Rows came beside those that a statement was said to give; waits until they are paid for.
    pub async fn gave(&self, rows: u64) {
        self.spend(rows);
        self.pay().await;
    }

    fn spend(&self, rows: u64) {
        if let Some(bucket) = &self.bucket {
            locked(bucket).spend(rows, self.stopwatch.elapsed());
        }
    }

    /// For how long in all somebody was held up here.
    pub fn waited(&self) -> Duration {
        locked(&self.waits).total(self.stopwatch.elapsed())
    }

    /// Statements of ours that are under way.
    fn running(&self) -> u64 {
        self.running.load(Ordering::Relaxed).into()
    }

    async fn pause(&self) -> Result<(), Failure> {
        if self.pause.is_on()? {
            let _waiting = self.waiting();
            self.pause.wait().await?;
        }
        Ok(())
    }

    /// Waits until the rows that came are paid for.
    async fn pay(&self) {
        let Some(bucket) = &self.bucket else { return };
        loop {
            let wait = locked(bucket).wait(self.stopwatch.elapsed());
            if wait.is_zero() {
                return;
            }
            let _waiting = self.waiting();
            tokio::time::sleep(wait).await;
        }
    }

    /// Waits until the database has no more to do than its guard allows.
    async fn heed(&self, db: &Database, guarded: &Guarded) -> Result<(), Failure> {
        let mut state = guarded.state.lock().await;
        let now = self.stopwatch.elapsed();
        if state.well_at.is_some_and(|at| now.saturating_sub(at) < LOOK) {
            return Ok(());
        }
        if let Some(excess) = self.excess(db, &guarded.config).await? {
            let _waiting = self.waiting();
            self.wait(db, guarded, &mut state, excess).await?;
        }
        state.well_at = Some(self.stopwatch.elapsed());
        Ok(())
    }

    /// Looks again and again until nothing is exceeded, or the patience is at its end.
    async fn wait(
        &self,
        db: &Database,
        guarded: &Guarded,
        state: &mut State,
        mut excess: String,
    ) -> Result<(), Failure> {
        let (begun, longest) = (self.stopwatch.elapsed(), micros(guarded.config.wait));
        if state.waited < longest {
            tracing::info!(database = self.name, "waiting: {excess}");
        }
        loop {
            let left = longest.saturating_sub(state.waited);
            if left.is_zero() {
                let message = guard::too_busy(&excess, longest);
                return Err(Failure { kind: ErrorKind::Busy, message });
            }
            let pause = micros(guarded.config.every).min(left);
            tokio::time::sleep(pause).await;
            state.waited += pause;
            self.pause().await?;
            match self.excess(db, &guarded.config).await? {
                Some(still) => excess = still,
                None => break,
            }
        }
        let waited = self.stopwatch.elapsed().saturating_sub(begun);
        tracing::info!(database = self.name, seconds = waited.as_secs(), "goes on");
        Ok(())
    }

    async fn excess(&self, db: &Database, guard: &config::Guard) -> Result<Option<String>, Failure> {
        Ok(guard::excess(guard, &load::of(db, guard, self.running()).await?))
    }

    fn waiting(&self) -> Waiting<'_> {
        locked(&self.waits).begin(self.stopwatch.elapsed());
        Waiting(self)
    }
}

impl Pass<'_> {
    /// The statement has ended and gave so many rows; waits until they are paid for.
    pub async fn gave(self, rows: u64) {
        let gate = self.gate;
        // The place is for others once the rows are booked; they pay before they start.
        gate.spend(rows);
        drop(self);
        gate.pay().await;
    }
}

impl Drop for Pass<'_> {
    fn drop(&mut self) {
        self.gate.running.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Somebody who is held up, until this is dropped.
struct Waiting<'g>(&'g Gate);

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        locked(&self.0.waits).end(self.0.stopwatch.elapsed());
    }
}

/// What is locked here is whole between any two statements, even if somebody panicked meanwhile.
fn locked<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

fn micros(micros: i64) -> Duration {
    Duration::from_micros(u64::try_from(micros).unwrap_or(0))
}
