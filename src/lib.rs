//! msgrecon: one verdict for every message at every consumer.

pub mod book;
pub mod classify;
pub mod cli;
pub mod clock;
pub mod command;
pub mod config;
pub mod exit;
pub mod judge;
pub mod model;
pub mod pair;
pub mod plan;
pub mod reconcile;
pub mod report;
pub mod source;
pub mod story;
