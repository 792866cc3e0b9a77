//! What goes out, against peers on the loopback: channels, heartbeats, a Pushgateway, programs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod channels;
mod heartbeats;
mod letters;
mod peer;
mod programs;
mod pushes;
mod secrets;
