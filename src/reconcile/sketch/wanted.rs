//! Whether a flow is read by a sketch, and what its report then does not tell.

use super::{NotShown, Shown};
use crate::book::Slice;
use crate::config::Flow;
use crate::model::latency::Latency;
use crate::model::run::Strategy;
use crate::model::{Id, Kind};
use crate::plan::{FlowRules, strategy};
use crate::reconcile::read::Reading;
use crate::reconcile::session::{Aside, Session};

impl Aside {
    fn ids(&self) -> impl Iterator<Item = &Id> {
        let events = self.undated.iter().filter_map(|row| row.id.as_ref());
        events.chain(self.receipts.iter().flatten().filter_map(|row| row.id.as_ref()))
    }
}

impl Session<'_> {
    /// What a sketch has shown, where one is wanted and can be used; what to say where it cannot.
    pub(in crate::reconcile) async fn by_sketch(
        &self,
        reading: &Reading<'_>,
        rules: &FlowRules,
    ) -> (Option<Shown>, Option<String>) {
        let mut known = strategy::known(self.flow, self.config, Some(rules.span));
        known.no_sketch = known.no_sketch.or_else(|| reading.sketch_obstacle(rules));
        let wanted = self.config.wanted(self.flow);
        reading.measure(wanted, rules.span, &mut known).await;
        let choice = strategy::choose(wanted, &known);
        if choice.strategy != Strategy::Sketch {
            return (None, choice.hint);
        }
        let aside: Vec<&Id> = self.aside.ids().collect();
        match reading.sketch(rules, &aside).await {
            Ok(shown) => {
                tracing::info!(
                    flow = self.flow.name,
                    buckets = shown.buckets,
                    looked_into = shown.looked_into,
                    rows = shown.rows(),
                    "added up"
                );
                (Some(shown), choice.hint)
            }
            Err(NotShown(why)) => (None, Some(strategy::not_used(Strategy::Sketch, &why))),
        }
    }
}

/// Sums tell that each message has its receipt, not how long it took.
pub(in crate::reconcile) fn hide_times(flow: &Flow, slice: &mut Slice) {
    slice.latencies.iter_mut().for_each(|latency| *latency = Latency::default());
    for consumer in &mut slice.report.consumers {
        consumer.strategy = Strategy::Sketch;
        if let Some(counts) = &mut consumer.counts {
            (counts.latency, counts.clock_skew_seconds) = (None, None);
        }
        if flow.late_after.is_some() && !consumer.not_decidable.contains(&Kind::Late) {
            consumer.not_decidable.push(Kind::Late);
        }
    }
}
