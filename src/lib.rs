//! msgrecon: one verdict for every message at every consumer.

pub mod book;
pub mod classify;
pub mod config;
pub mod model;
pub mod pair;
pub mod plan;
pub mod story;
