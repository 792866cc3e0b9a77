//! Everything that goes out, told to peers over the loopback that check what they hear.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod mail;
