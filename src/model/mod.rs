//! The words of reconciliation as types: pure, no clock, no I/O.

pub mod alert;
pub mod bulk;
pub mod event;
pub mod id;
pub mod kind;
pub mod latency;
pub mod life;
pub mod memory;
pub mod packed;
pub mod run;
pub mod tally;
pub mod time;
pub mod window;

pub use alert::{Alert, AlertKey, AlertState, Digest, Notice, Occasion};
pub use bulk::{Bulk, ShortEvents};
pub use event::{DeadLetter, Event, Receipt, State};
pub use id::Id;
pub use kind::Kind;
pub use life::{FlowLife, Status};
pub use packed::{PackedEvents, PackedRow};
pub use run::{ConsumerReport, Difference, FlowReport, Outcome, Problem, Run, Verdict};
pub use tally::Totals;
pub use time::{Micros, Span};
pub use window::Window;
