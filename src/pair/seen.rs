//! What the first pass has seen of one id.

use crate::classify::{Delivery, Facts};
use crate::model::{Micros, State};

/// No such time.
pub(super) const NEVER: Micros = Micros(i64::MAX);

/// What the first pass has seen of one id: packed, since there is one for each id that is held.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Seen {
    /// How many receipt rows were read.
    pub receipts: u32,
    /// 0: no event of the range was read.
    pub(super) rows: u32,
    pub(super) state: State,
    /// A row came in the short form, without its creation time.
    pub(super) short: bool,
    /// Nobody else has a note of the event.
    pub(super) sole: bool,
    pub(super) acked: Micros,
    pub(super) created: Micros,
    pub(super) first: Micros,
}

impl Seen {
    /// Neither event nor receipt.
    pub const NOTHING: Self = Self {
        receipts: 0,
        rows: 0,
        state: State::Unknown,
        short: false,
        sole: false,
        acked: NEVER,
        created: NEVER,
        first: NEVER,
    };

    /// One event row; `short` says that its creation time was not read.
    #[must_use]
    pub fn of_event(row: Facts, short: bool) -> Self {
        let mut seen = Self { short, ..Self::NOTHING };
        seen.set_event(row);
        seen
    }

    /// One receipt.
    #[must_use]
    pub fn of_receipt(at: Option<Micros>) -> Self {
        Self { receipts: 1, first: at.unwrap_or(NEVER), ..Self::NOTHING }
    }

    /// An event row and a receipt, both with their time.
    #[must_use]
    pub fn of_pair(acked: Micros, consumed: Micros, created_unread: bool) -> Self {
        let short = created_unread;
        Self { rows: 1, state: State::Acked, short, acked, ..Self::of_receipt(Some(consumed)) }
    }

    /// The same where nobody else has a note of the event.
    #[must_use]
    pub fn solely(self, sole: bool) -> Self {
        Self { sole, ..self }
    }

    /// The event, where nobody else has a note of it.
    #[must_use]
    pub fn sole_event(&self) -> Option<Facts> {
        self.event().filter(|_| self.sole)
    }

    /// The event, if one of the range was read.
    #[must_use]
    pub fn event(&self) -> Option<Facts> {
        let (acked, created) = (usable(self.acked), usable(self.created));
        (self.rows > 0).then_some(Facts { state: self.state, acked, created, rows: self.rows })
    }

    pub(super) fn set_event(&mut self, facts: Facts) {
        self.rows = facts.rows;
        self.state = facts.state;
        self.acked = facts.acked.unwrap_or(NEVER);
        self.created = facts.created.unwrap_or(NEVER);
    }

    /// The earliest usable receipt time.
    #[must_use]
    pub fn first(&self) -> Option<Micros> {
        usable(self.first)
    }

    /// Whether a row came in the short form, so that its creation time has still to be asked for.
    #[must_use]
    pub fn is_short(&self) -> bool {
        self.short
    }

    /// The message, where everything is known of it: see [`Pairing`].
    #[must_use]
    pub fn settled(&self, late_after: Option<i64>) -> Option<Delivery> {
        self.is_settled(late_after).then(|| self.delivery())
    }

    /// One acked row and one receipt: nothing to look up. A late message is listed with what a look-up says of it: its
    /// creation time, which the short form lacks, and whether its dead letter is still open.
    pub(super) fn is_settled(&self, late_after: Option<i64>) -> bool {
        let pair = self.receipts == 1 && self.rows == 1 && self.state == State::Acked;
        pair && !self.is_late(late_after)
    }

    fn is_late(&self, late_after: Option<i64>) -> bool {
        let took = usable(self.first).zip(usable(self.acked)).map(|(first, acked)| first.since(acked));
        took.zip(late_after).is_some_and(|(took, late_after)| took > late_after)
    }

    /// Takes in what else was seen of the same id.
    pub(super) fn add(&mut self, other: Self, merged: &mut dyn FnMut(&Facts, &Facts, &Facts)) {
        if let Some(theirs) = other.event() {
            match self.event() {
                Some(ours) => {
                    let now = ours.merged(theirs);
                    merged(&ours, &theirs, &now);
                    self.set_event(now);
                }
                None => self.set_event(theirs),
            }
        }
        self.short |= other.short;
        self.receipts = self.receipts.saturating_add(other.receipts);
        self.first = self.first.min(other.first);
    }

    pub(super) fn delivery(&self) -> Delivery {
        let (receipts, first) = (self.receipts.into(), self.first());
        Delivery { event: self.event(), receipts, first, last: first, dead: None }
    }
}

fn usable(at: Micros) -> Option<Micros> {
    (at != NEVER).then_some(at)
}
