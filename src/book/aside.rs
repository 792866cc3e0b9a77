//! What a consumer's pairing has set aside, as it will count if nothing of it comes again.

use super::consumer::home_time;
use crate::classify::Delivery;
use crate::model::latency::Latency;
use crate::model::window::position;
use crate::model::{Kind, Micros, Totals};
use crate::plan::FlowRules;

/// Counts that are kept apart until everything was read.
#[derive(Debug, Default)]
pub(super) struct Aside {
    /// By window; empty while nothing was set aside.
    pub(super) windows: Vec<Totals>,
    pub(super) latency: Latency,
    pub(super) measured: bool,
    /// Receipts that belong to other ranges.
    pub(super) outside: u64,
}

impl Aside {
    /// A pair in time, of a message of this window.
    pub(super) fn pair(&mut self, place: usize, took: Option<i64>, rules: &FlowRules) {
        if self.windows.is_empty() {
            self.windows.resize_with(rules.windows.len(), Totals::default);
        }
        self.windows[place].add(Kind::Ok, 1);
        self.measured |= took.is_some();
        took.into_iter().for_each(|took| self.latency.record(took));
    }

    /// The same, as a pairing gives it.
    pub(super) fn delivery(&mut self, delivery: &Delivery, rules: &FlowRules) {
        let Some(place) = home_time(delivery).and_then(|at| position(&rules.windows, at)) else { return };
        let acked: Option<Micros> = delivery.event.and_then(|event| event.acked);
        self.pair(place, acked.zip(delivery.first).map(|(acked, first)| first.since(acked)), rules);
    }
}
