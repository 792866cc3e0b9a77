//! The words of reconciliation as types: pure, no clock, no I/O.

pub mod event;
pub mod id;
pub mod kind;
pub mod time;

pub use event::{DeadLetter, Event, Receipt, State};
pub use id::Id;
pub use kind::Kind;
pub use time::{Micros, Span};
