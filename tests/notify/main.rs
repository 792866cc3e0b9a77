//! Everything that goes out, told to peers over the loopback that check what they hear: mail, channels, heartbeats, a
//! Pushgateway, programs.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod answers;
mod channels;
mod heartbeats;
mod letters;
mod mail;
mod peer;
mod program;
mod programs;
mod pushes;
mod secrets;
mod tls;
