//! Rows that came packed: what pairs by its digest is entered by its times alone, since nothing more will be said of it.

use super::FlowBook;
use crate::classify::Facts;
use crate::model::window::position;
use crate::model::{Event, Kind, Micros};

impl FlowBook {
    /// The producer's own count of an acked event of the range whose id is not known here.
    pub fn packed_event(&mut self, acked: Micros) {
        let tally = self.tally(Some(acked));
        tally.rows += 1;
        tally.acked += 1;
    }

    /// A message that the consumer at `place` must see, acked and consumed once and in time.
    pub fn packed_pair(&mut self, place: usize, acked: Micros, consumed: Micros) {
        let window = position(&self.rules.windows, acked);
        let Some((book, window)) = self.consumers[place].as_mut().zip(window) else { return };
        book.receipts.read += 1;
        book.windows[window].acked += 1;
        book.windows[window].add(Kind::Ok, 1);
        book.measured = true;
        book.latency.record(consumed.since(acked));
    }

    /// An acked event that [`FlowBook::packed_event`] has counted and the consumer at `place` must see, with its id. Where
    /// there may be `more` to be said of it than that it has no receipt, it is looked up as in the short form.
    pub fn unpacked_event(&mut self, place: usize, row: &Event, more: bool) {
        let Some((book, id)) = self.consumers[place].as_mut().zip(row.id.as_ref()) else { return };
        book.row(id, facts(row), more, &self.rules, &mut self.findings);
    }

    /// An acked event of the range that came packed and was not counted, since its id was known already.
    pub fn known_event(&mut self, row: &Event) {
        let (Some(placed), Some(id)) = (row.placed(), &row.id) else { return };
        self.tally(Some(placed)).rows += 1;
        self.is_witnessed(row.expected_by);
        self.note(id, facts(row), true);
        for place in 0..self.consumers.len() {
            if row.expected_by >> place & 1 == 1 && self.rules.consumers[place].owes(placed) {
                self.unpacked_event(place, row, true);
            }
        }
    }
}

fn facts(row: &Event) -> Facts {
    Facts { state: row.state, acked: row.acked.at(), created: row.created.at(), rows: 1 }
}
