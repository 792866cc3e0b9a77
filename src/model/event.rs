//! The three facts that sources give: events, receipts, dead letters.

use super::{Id, Micros};

/// What the event table says of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum State {
    /// No rule of the configuration fits the row.
    Unknown,
    /// The relay gave up.
    Failed,
    /// Not sent yet, as far as the table knows.
    Pending,
    /// The broker confirmed it.
    Acked,
}

/// A time column's value, once read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stamp {
    /// NULL, or the all-zero date that old MySQL schemas keep for "not yet"; also: no such column is configured.
    None,
    /// A usable instant.
    At(Micros),
    /// Something is there that is no usable time: month 0, ±infinity, unreadable text, before 1971.
    Unusable,
}

impl Stamp {
    /// The instant, where there is a usable one.
    #[must_use]
    pub fn at(self) -> Option<Micros> {
        match self {
            Self::At(at) => Some(at),
            Self::None | Self::Unusable => None,
        }
    }
}

/// One row of an event table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The message's id; `None` where the column is NULL or holds no usable id.
    pub id: Option<Id>,
    /// By the first rule that fits.
    pub state: State,
    /// When the row says it was written.
    pub created: Stamp,
    /// When the row says the broker confirmed it.
    pub acked: Stamp,
    /// Bit `i` is set if consumer `i` of the flow must see this event (`expects`); time limits are not in it.
    pub expected_by: u64,
    /// Whether the row belongs to the flow (`where`); look-ups by id see the rows of other flows too.
    pub in_flow: bool,
    /// How often the relay tried, where the table says so.
    pub attempts: Option<i64>,
}

impl Event {
    /// The instant that assigns the window: the ack time, else the creation time; `None` if neither is usable, or
    /// if the ack time is there but unusable (such a row would be in no window of the day it was sent).
    #[must_use]
    pub fn placed(&self) -> Option<Micros> {
        match self.acked {
            Stamp::At(at) => Some(at),
            Stamp::None => self.created.at(),
            Stamp::Unusable => None,
        }
    }
}

/// One row that proves that a consumer processed a message.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Receipt {
    /// The message's id (the original's, where the row names one); `None` where it is NULL or unusable.
    pub id: Option<Id>,
    /// When it was consumed, by the consumer's clock.
    pub consumed: Stamp,
}

/// One row of a dead-letter table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeadLetter {
    /// The message's id; `None` where it is NULL or unusable.
    pub id: Option<Id>,
    /// When the consumer gave up.
    pub dead: Stamp,
    /// Written off by an operator.
    pub closed: bool,
    /// The reason, where the table has one; at most 500 characters are kept.
    pub reason: Option<String>,
}
