//! The only place that reads the clocks, of the day and of a stopwatch, and draws at random.

use crate::model::Micros;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};
use std::time::{Duration, Instant};

/// Now.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn now() -> Micros {
    chrono::Utc::now().into()
}

/// Says how long ago it was started, whatever becomes of the time of day meanwhile.
#[derive(Clone, Copy, Debug)]
pub struct Stopwatch(Instant);

impl Stopwatch {
    /// Starts it.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }

    /// The time since then.
    #[must_use]
    pub fn elapsed(&self) -> Duration {
        self.0.elapsed()
    }
}

/// 64 random bits, not for secrets.
#[must_use]
pub fn random() -> u64 {
    RandomState::new().build_hasher().finish()
}

/// A new run id: the instant it began and some random digits, so that ids sort by time and two runs never share one.
#[must_use]
pub fn run_id(at: Micros) -> String {
    let random = random() & 0xffff_ffff;
    format!("{}-{random:08x}", at.to_utc().format("%Y%m%dT%H%M%SZ"))
}
