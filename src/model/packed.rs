//! Rows that came in few bytes: a digest in the place of the id.

use super::Micros;

/// One row.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PackedRow {
    /// The last eight bytes of the SHA-256 of the id's exact bytes, big-endian.
    pub digest: u64,
    /// The ack of an event, the consumption of a receipt.
    pub at: Micros,
}

/// Acked events of a slice that the same consumers expect.
#[derive(Clone, Debug, Default)]
pub struct PackedEvents {
    /// Digests and ack times.
    pub rows: Vec<PackedRow>,
    /// As in [`super::Event`].
    pub expected_by: u64,
}
