//! Everything that needs real databases: pairs of servers, stories, pipelines, cases from the field, sources that fail.
//!
//! SQLite is always there; PostgreSQL and MySQL/MariaDB are used where `MSGRECON_TEST_POSTGRES_URL` and
//! `MSGRECON_TEST_MYSQL_URL` name a server whose account may create databases. `tests/run` starts both.
#![allow(clippy::unwrap_used, clippy::expect_used, clippy::panic, reason = "a test fails by panicking")]

mod account;
mod blind;
mod cases;
mod cases2;
mod child;
mod cli;
mod failures;
mod gentle;
mod kill;
mod ledger;
mod link;
mod moving;
mod net;
mod orders;
mod packed;
mod pairs;
mod pipelines;
mod shared;
mod sketch;
mod stories;
mod world;

// The shared modules name each other from the root.
use shared::{drive, generate, oracle, pipeline, rng, verify};
