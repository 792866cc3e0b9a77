//! msgrecon: one verdict for every message at every consumer.

pub mod book;
pub mod classify;
pub mod clock;
pub mod config;
pub mod exit;
pub mod judge;
pub mod model;
pub mod pair;
pub mod plan;
pub mod reconcile;
pub mod source;
pub mod story;
