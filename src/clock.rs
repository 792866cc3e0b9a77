//! The only place that reads the wall clock and draws at random.

use crate::model::Micros;
use std::hash::{BuildHasher as _, Hasher as _, RandomState};

/// Now.
#[must_use]
#[expect(clippy::disallowed_methods, reason = "this is the one place")]
pub fn now() -> Micros {
    chrono::Utc::now().into()
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
