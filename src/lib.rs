//! msgrecon: one verdict for every message at every consumer.

pub mod config;
pub mod model;
pub mod report;
