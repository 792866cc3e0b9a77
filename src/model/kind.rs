//! The kinds of DESIGN's table: the one home of their names, meanings and remedies.

/// What became of one message at one consumer (or at the producer alone).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Kind {
    /// Acked, one receipt, in time.
    Ok,
    /// Acked, one receipt, later than `late_after`.
    Late,
    /// Acked, two receipts or more.
    Duplicate,
    /// Acked, no receipt, an open dead letter.
    DeadLettered,
    /// Acked, no receipt, a dead letter that an operator closed.
    Discarded,
    /// Acked, no receipt, younger than the grace.
    InFlight,
    /// Acked, no receipt, older than the grace.
    Missing,
    /// Acked, no receipt, but receipts of that age may be purged or not visible yet.
    Unverifiable,
    /// Pending, younger than `stuck_after`.
    Pending,
    /// Pending, older than `stuck_after`.
    Stuck,
    /// The relay gave up.
    PublishFailed,
    /// Pending or failed, but a receipt is there.
    AckLost,
    /// A receipt or a dead letter of a message that the producer does not know.
    Orphan,
    /// An event without a usable time.
    Unattributable,
}

/// A kind's name and its texts.
#[derive(Clone, Copy, Debug)]
pub struct KindInfo {
    /// The kind.
    pub kind: Kind,
    /// Its name in every file and option.
    pub name: &'static str,
    /// One sentence: what it means.
    pub meaning: &'static str,
    /// Where the message stopped, or why it looks like this.
    pub cause: &'static str,
    /// What to do about it.
    pub remedy: &'static str,
    /// Whether it needs somebody's attention, so that it is listed as a difference.
    pub difference: bool,
}

impl Kind {
    /// Every kind, in the order in which reports show them.
    pub const ALL: [Self; 14] = [
        Self::Ok,
        Self::Late,
        Self::Duplicate,
        Self::DeadLettered,
        Self::Discarded,
        Self::InFlight,
        Self::Missing,
        Self::Unverifiable,
        Self::Pending,
        Self::Stuck,
        Self::PublishFailed,
        Self::AckLost,
        Self::Orphan,
        Self::Unattributable,
    ];

    /// The kind of that name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Its name in every file and option.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.info().name
    }

    /// Whether it needs somebody's attention.
    #[must_use]
    pub fn is_difference(self) -> bool {
        self.info().difference
    }

    /// Whether it says something of the producer alone, before any consumer comes in.
    #[must_use]
    pub fn is_of_producer(self) -> bool {
        matches!(self, Self::Pending | Self::Stuck | Self::PublishFailed | Self::Unattributable)
    }

    /// Name and texts.
    #[must_use]
    pub fn info(self) -> &'static KindInfo {
        // The table is in the order of the enum; a test holds it there.
        &TABLE[self as usize]
    }
}

impl serde::Serialize for Kind {
    fn serialize<S: serde::Serializer>(&self, out: S) -> Result<S::Ok, S::Error> {
        out.serialize_str(self.name())
    }
}

impl<'de> serde::Deserialize<'de> for Kind {
    fn deserialize<D: serde::Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        let name = String::deserialize(from)?;
        Self::from_name(&name).ok_or_else(|| serde::de::Error::custom(format!("no kind is named `{name}`")))
    }
}

impl std::fmt::Display for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name())
    }
}

const fn row(
    kind: Kind,
    name: &'static str,
    difference: bool,
    [meaning, cause, remedy]: [&'static str; 3],
) -> KindInfo {
    KindInfo { kind, name, meaning, cause, remedy, difference }
}

static TABLE: [KindInfo; 14] = [
    row(
        Kind::Ok,
        "ok",
        false,
        [
            "The broker confirmed the message and the consumer has exactly one receipt of it.",
            "Everything worked.",
            "Nothing to do.",
        ],
    ),
    row(
        Kind::Late,
        "late",
        true,
        [
            "The consumer has one receipt, written later than `late_after` after the ack.",
            "The consumer was slow, stopped for a while, or the message was replayed.",
            "Look at the consumer's lag at that time; the message itself is done.",
        ],
    ),
    row(
        Kind::Duplicate,
        "duplicate",
        true,
        [
            "The consumer has two or more receipts of one message.",
            "The consumer is not idempotent, or a replay after a crash went past the dedup table.",
            "Undo the extra effect, then put a unique key on (consumer, message id) and insert it in the transaction of the work.",
        ],
    ),
    row(
        Kind::DeadLettered,
        "dead_lettered",
        true,
        [
            "The consumer has no receipt and parked the message as a dead letter that is still open.",
            "The consumer gave up after its retries.",
            "Mend the cause that the reason names, then replay the dead letter; or close it if it need not be processed.",
        ],
    ),
    row(
        Kind::Discarded,
        "discarded",
        false,
        [
            "The consumer has no receipt; its dead letter was closed by an operator.",
            "Somebody decided that this message need not be processed.",
            "Nothing to do.",
        ],
    ),
    row(
        Kind::InFlight,
        "in_flight",
        false,
        [
            "The message was acked less than `grace` ago and has no receipt yet.",
            "It may rightly be on its way.",
            "Wait; a later run judges it.",
        ],
    ),
    row(
        Kind::Missing,
        "missing",
        true,
        [
            "The broker confirmed the message longer than `grace` ago, and the consumer has neither receipt nor dead letter.",
            "It was lost between broker and consumer, swallowed by the dedup table, or the consumer did not commit.",
            "Replay the message to this consumer; its dedup table makes a replay of a processed one harmless.",
        ],
    ),
    row(
        Kind::Unverifiable,
        "unverifiable",
        false,
        [
            "There is no receipt, but a receipt of that age may be purged already, or not be visible yet in a replica.",
            "The run looks further back than the receipts are kept, or the source lags behind.",
            "Run more often than `retention`, keep receipts longer, or run again when the replica has caught up.",
        ],
    ),
    row(
        Kind::Pending,
        "pending",
        false,
        [
            "The event waits for the relay, for less than `stuck_after`.",
            "It was written a moment ago.",
            "Wait.",
        ],
    ),
    row(
        Kind::Stuck,
        "stuck",
        true,
        [
            "The event waits for the relay, for longer than `stuck_after`.",
            "The relay stopped, is failing, or has lost this row (a state that nothing picks up again).",
            "Look at the relay; once it runs, the row is sent by itself.",
        ],
    ),
    row(
        Kind::PublishFailed,
        "publish_failed",
        true,
        [
            "The relay gave up on the event.",
            "The broker refused it, or the retries ran out.",
            "Mend the cause, then re-arm the row (set it back to pending).",
        ],
    ),
    row(
        Kind::AckLost,
        "ack_lost",
        true,
        [
            "The event table says pending or failed, but the consumer has a receipt.",
            "The message was delivered and the ack never reached the event table.",
            "Mark the row as sent; if you do nothing it is sent again and the consumer must drop the repeat.",
        ],
    ),
    row(
        Kind::Orphan,
        "orphan",
        true,
        [
            "The consumer has a receipt or a dead letter of a message that the event table does not know.",
            "The producer rolled back after sending, makes a new id at each send, purged the row, or another environment sends here.",
            "Find out who sent it: compare the id's form and the receipt's time with the producer's logs.",
        ],
    ),
    row(
        Kind::Unattributable,
        "unattributable",
        true,
        [
            "The event has no usable time: NULL, a zero date, an infinity, before 1971, or later than a day after the run.",
            "A default value, a damaged row, or a wrong time format in the configuration.",
            "Mend the row's time or the column's `format`; until then the event is in no window.",
        ],
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_has_one_row_and_one_name() {
        for (place, kind) in Kind::ALL.into_iter().enumerate() {
            assert_eq!(kind as usize, place);
            assert_eq!(kind.info().kind, kind);
            assert_eq!(Kind::from_name(kind.name()), Some(kind));
            let info = kind.info();
            for text in [info.meaning, info.cause, info.remedy] {
                assert!(text.ends_with('.'), "{kind}: {text}");
            }
        }
        assert_eq!(Kind::from_name("no such kind"), None);
    }
}
