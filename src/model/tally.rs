//! Counts, and the two sums by which the books must balance.

use super::Kind;

/// The counts of one consumer, over one window or over a whole range. Messages, unless a name ends in `_records`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Totals {
    /// Acked messages that the consumer must see; counted as events are read, before anything is classified.
    pub acked: u64,
    /// See [`Kind::Ok`].
    pub ok: u64,
    /// See [`Kind::Late`].
    pub late: u64,
    /// See [`Kind::Duplicate`].
    pub duplicate: u64,
    /// See [`Kind::DeadLettered`].
    pub dead_lettered: u64,
    /// See [`Kind::Discarded`].
    pub discarded: u64,
    /// See [`Kind::InFlight`].
    pub in_flight: u64,
    /// See [`Kind::Missing`].
    pub missing: u64,
    /// See [`Kind::Unverifiable`].
    pub unverifiable: u64,
    /// See [`Kind::Orphan`].
    pub orphan: u64,
    /// See [`Kind::AckLost`].
    pub ack_lost: u64,
    /// Receipt rows of the messages in `duplicate`, all of them: two receipts of one message are 2.
    pub duplicate_records: u64,
    /// Receipt rows of the messages in `ack_lost`.
    pub ack_lost_records: u64,
    /// Receipt rows of the messages in `orphan`; fewer than `orphan` where dead letters are orphans.
    pub orphan_records: u64,
}

impl Totals {
    /// Counts one message of `kind` with `receipts` receipt rows. Kinds of the producer alone do not count here.
    pub fn add(&mut self, kind: Kind, receipts: u64) {
        let count = match kind {
            Kind::Ok => &mut self.ok,
            Kind::Late => &mut self.late,
            Kind::Duplicate => {
                self.duplicate_records += receipts;
                &mut self.duplicate
            }
            Kind::DeadLettered => &mut self.dead_lettered,
            Kind::Discarded => &mut self.discarded,
            Kind::InFlight => &mut self.in_flight,
            Kind::Missing => &mut self.missing,
            Kind::Unverifiable => &mut self.unverifiable,
            Kind::Orphan => {
                self.orphan_records += receipts;
                &mut self.orphan
            }
            Kind::AckLost => {
                self.ack_lost_records += receipts;
                &mut self.ack_lost
            }
            Kind::Pending | Kind::Stuck | Kind::PublishFailed | Kind::Unattributable => return,
        };
        *count += 1;
    }

    /// The count of a kind; 0 for the kinds of the producer alone.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Ok => self.ok,
            Kind::Late => self.late,
            Kind::Duplicate => self.duplicate,
            Kind::DeadLettered => self.dead_lettered,
            Kind::Discarded => self.discarded,
            Kind::InFlight => self.in_flight,
            Kind::Missing => self.missing,
            Kind::Unverifiable => self.unverifiable,
            Kind::Orphan => self.orphan,
            Kind::AckLost => self.ack_lost,
            Kind::Pending | Kind::Stuck | Kind::PublishFailed | Kind::Unattributable => 0,
        }
    }

    /// Adds another window's counts.
    pub fn merge(&mut self, other: &Self) {
        self.acked += other.acked;
        self.ok += other.ok;
        self.late += other.late;
        self.duplicate += other.duplicate;
        self.dead_lettered += other.dead_lettered;
        self.discarded += other.discarded;
        self.in_flight += other.in_flight;
        self.missing += other.missing;
        self.unverifiable += other.unverifiable;
        self.orphan += other.orphan;
        self.ack_lost += other.ack_lost;
        self.duplicate_records += other.duplicate_records;
        self.ack_lost_records += other.ack_lost_records;
        self.orphan_records += other.orphan_records;
    }

    /// `acked` minus everything that an acked message can be; must be 0, else a message has no verdict or two.
    #[must_use]
    pub fn residual(&self) -> i64 {
        let judged = self.ok
            + self.late
            + self.duplicate
            + self.dead_lettered
            + self.discarded
            + self.in_flight
            + self.missing
            + self.unverifiable;
        self.acked.cast_signed() - judged.cast_signed()
    }

    /// Receipt rows that belong to the counted messages.
    #[must_use]
    pub fn records(&self) -> u64 {
        self.ok + self.late + self.duplicate_records + self.ack_lost_records + self.orphan_records
    }

    /// Messages with at least one receipt.
    #[must_use]
    pub fn consumed(&self) -> u64 {
        self.ok + self.late + self.duplicate + self.ack_lost
    }

    /// Messages whose kind needs attention.
    #[must_use]
    pub fn differences(&self) -> u64 {
        Kind::ALL.into_iter().filter(|kind| kind.is_difference()).map(|kind| self.of(kind)).sum()
    }

    /// Whether nothing at all was counted.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// The receipt rows of one consumer: what was read, and those that belong to no message of the range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct Receipts {
    /// Rows with a usable id that the run took in, each once.
    pub read: u64,
    /// Of these, rows of events outside the range, of another flow, or not owed to this consumer.
    pub outside: u64,
    /// Of these, rows without an event where the layout cannot tell an orphan from a deleted or unseen event.
    pub undecidable: u64,
    /// Rows without a usable id (NULL, or a number that lost its digits); not in `read`.
    pub without_id: u64,
}

impl Receipts {
    /// `read` minus everything that a receipt can be; must be 0.
    #[must_use]
    pub fn residual(&self, totals: &Totals) -> i64 {
        self.read.cast_signed() - (totals.records() + self.outside + self.undecidable).cast_signed()
    }
}

impl Receipts {
    /// Adds another slice's.
    pub fn merge(&mut self, other: &Self) {
        self.read += other.read;
        self.outside += other.outside;
        self.undecidable += other.undecidable;
        self.without_id += other.without_id;
    }
}

/// The producer's own counts over a range.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct EventTotals {
    /// Rows read that belong to the range.
    pub rows: u64,
    /// Acked messages, each once.
    pub acked: u64,
    /// See [`Kind::Pending`].
    pub pending: u64,
    /// See [`Kind::Stuck`].
    pub stuck: u64,
    /// See [`Kind::PublishFailed`].
    pub publish_failed: u64,
    /// Messages pending or failed whose receipt is there.
    pub ack_lost: u64,
    /// Messages of a state that no rule names.
    pub unknown_state: u64,
    /// Rows without a usable time.
    pub unattributable: u64,
    /// Rows without a usable id.
    pub without_id: u64,
}

impl EventTotals {
    /// Adds another window's or table's.
    pub fn merge(&mut self, other: &Self) {
        self.rows += other.rows;
        self.acked += other.acked;
        self.pending += other.pending;
        self.stuck += other.stuck;
        self.publish_failed += other.publish_failed;
        self.ack_lost += other.ack_lost;
        self.unknown_state += other.unknown_state;
        self.unattributable += other.unattributable;
        self.without_id += other.without_id;
    }

    /// Differences of the producer alone.
    #[must_use]
    pub fn differences(&self) -> u64 {
        self.stuck + self.publish_failed + self.unattributable
    }

    /// The count of a kind of the producer alone; 0 for the others.
    #[must_use]
    pub fn of(&self, kind: Kind) -> u64 {
        match kind {
            Kind::Pending => self.pending,
            Kind::Stuck => self.stuck,
            Kind::PublishFailed => self.publish_failed,
            Kind::Unattributable => self.unattributable,
            _ => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_kind_of_an_acked_message_balances_the_books() {
        let mut totals = Totals::default();
        let acked = [
            (Kind::Ok, 1),
            (Kind::Late, 1),
            (Kind::Duplicate, 3),
            (Kind::DeadLettered, 0),
            (Kind::Discarded, 0),
            (Kind::InFlight, 0),
            (Kind::Missing, 0),
            (Kind::Unverifiable, 0),
        ];
        for (kind, receipts) in acked {
            totals.acked += 1;
            totals.add(kind, receipts);
            assert_eq!((totals.residual(), totals.of(kind)), (0, 1), "{kind}");
        }
        totals.add(Kind::Orphan, 2);
        totals.add(Kind::AckLost, 1);
        assert_eq!((totals.residual(), totals.records(), totals.differences()), (0, 8, 6));
        let receipts = Receipts { read: 10, outside: 1, undecidable: 0, without_id: 4 };
        assert_eq!(receipts.residual(&totals), 1);
        let mut twice = totals;
        twice.merge(&totals);
        assert_eq!((twice.acked, twice.records(), twice.consumed()), (16, 16, 8));
    }
}
