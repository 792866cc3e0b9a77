//! One binary of integration tests.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "a test that cannot go on has failed"
)]

mod coverage;
mod drive;
mod generate;
mod language;
mod laws;
mod oracle;
mod pipeline;
mod retell;
mod rng;
mod stories;
mod told;
mod verify;
