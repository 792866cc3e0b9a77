//! What a run means for the alerts, and who is to be told what: pure.
//!
//! A metric of a flow over its bound is an *alert*, from the run that first sees it to the run in which it is well again.
//! Somebody is told when it fires, when its level rises, when messages come to it, every so often while it goes on, and
//! when it is well again; never twice for the same state. The ledger keeps both: alerts as a run leaves them, and what
//! is to be told, until it is delivered.

mod digest;
mod life;
mod target;
#[cfg(test)]
mod tests;

pub use digest::{Told, digests, test_digest};
pub use life::{Looked, Policy, Step, retired, step};
pub use target::{Target, targets};
