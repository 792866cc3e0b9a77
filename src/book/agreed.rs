//! Messages that are entered by their number alone: a sketch has shown that every one of them has its one receipt.

use super::FlowBook;

impl FlowBook {
    /// Acked events in the window at this place, of which no row is entered.
    pub fn agreed(&mut self, window: usize, rows: u64) {
        if let Some(totals) = self.windows.get_mut(window) {
            totals.rows += rows;
            totals.acked += rows;
        }
    }

    /// Those of them that the consumer at `place` must see, each with one receipt of its own there.
    pub fn agreed_at(&mut self, place: usize, window: usize, rows: u64) {
        let Some(book) = &mut self.consumers[place] else { return };
        let Some(totals) = book.windows.get_mut(window) else { return };
        totals.acked += rows;
        totals.ok += rows;
        book.receipts.read += rows;
    }

    /// Receipts of the consumer at `place` that lie outside the range and belong to no message of it, none of them
    /// entered.
    pub fn outside(&mut self, place: usize, rows: u64) {
        if let Some(book) = &mut self.consumers[place] {
            book.receipts.read += rows;
            book.receipts.outside += rows;
        }
    }
}
