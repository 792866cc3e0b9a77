//! What the source layer promises, on every database that is there.
//!
//! SQLite is always there. `MSGRECON_TEST_POSTGRES_URL` and `MSGRECON_TEST_MYSQL_URL` lead to servers on which the
//! account may create databases and users; a server that is not named is left out, unless `MSGRECON_TEST_REQUIRE=1`.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod bench;
mod errors;
mod events;
mod ids;
mod packed;
mod receipts;
mod sessions;
mod shards;
mod times;
