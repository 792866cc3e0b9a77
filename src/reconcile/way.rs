//! How a flow's first pass is made, and what its report then says of it.

use super::read::Reading;
use super::session::{Aside, Session};
use super::sketch::{NotShown, Shown};
use crate::book::{FlowBook, Slice};
use crate::config::Flow;
use crate::model::latency::Latency;
use crate::model::run::Strategy;
use crate::model::{Id, Kind};
use crate::plan::{FlowRules, strategy};

/// How far the first pass is when it begins.
pub(super) enum Way {
    /// Everything has still to be read.
    Stream,
    /// Everything was read packed into these books.
    Packed(Box<FlowBook>),
    /// Sums were read, and the rows that differ.
    Sketch(Shown),
}

impl Way {
    pub(super) fn strategy(&self) -> Strategy {
        match self {
            Self::Stream => Strategy::Stream,
            Self::Packed(_) => Strategy::Packed,
            Self::Sketch(_) => Strategy::Sketch,
        }
    }
}

impl Aside {
    fn ids(&self) -> impl Iterator<Item = &Id> {
        let events = self.undated.iter().filter_map(|row| row.id.as_ref());
        events.chain(self.receipts.iter().flatten().filter_map(|row| row.id.as_ref()))
    }
}

impl Session<'_> {
    /// Reads by what is wanted and can be used; what to say where it cannot. `first` as for [`Session::judge`].
    pub(super) async fn way(
        &self,
        reading: &Reading<'_>,
        rules: &FlowRules,
        first: bool,
    ) -> (Way, Option<String>) {
        if let Some((strategy, why)) = self.given_up.get() {
            return (Way::Stream, Some(strategy::not_used(*strategy, why)));
        }
        let mut known = strategy::known(self.flow, self.config, Some(rules.span));
        known.no_sketch = known.no_sketch.or_else(|| reading.sketch_obstacle(rules));
        known.no_packed = known.no_packed.or_else(|| reading.packed_obstacle(rules));
        let wanted = self.config.wanted(self.flow);
        reading.measure(wanted, rules.span, &mut known).await;
        let choice = strategy::choose(wanted, &known);
        let way = match choice.strategy {
            Strategy::Stream => return (Way::Stream, choice.hint),
            Strategy::Packed => {
                let book = self.books(rules.clone(), first);
                reading.packed(book, self.aside.ids()).await.map(|book| Way::Packed(Box::new(book)))
            }
            Strategy::Sketch => self.summed(reading, rules).await,
        };
        match way {
            Ok(way) => (way, choice.hint),
            Err(NotShown(why)) => {
                let (strategy, why) = self.given_up.get_or_init(|| (choice.strategy, why));
                (Way::Stream, Some(strategy::not_used(*strategy, why)))
            }
        }
    }

    async fn summed(&self, reading: &Reading<'_>, rules: &FlowRules) -> Result<Way, NotShown> {
        let aside: Vec<&Id> = self.aside.ids().collect();
        let shown = reading.sketch(rules, &aside).await?;
        tracing::info!(
            flow = self.flow.name,
            buckets = shown.buckets,
            looked_into = shown.looked_into,
            rows = shown.rows(),
            "added up"
        );
        Ok(Way::Sketch(shown))
    }
}

/// Says how the rows were read. Sums tell that each message has its receipt, not how long it took.
pub(super) fn tell(flow: &Flow, strategy: Strategy, slice: &mut Slice) {
    slice.report.consumers.iter_mut().for_each(|consumer| consumer.strategy = strategy);
    if strategy != Strategy::Sketch {
        return;
    }
    slice.latencies.iter_mut().for_each(|latency| *latency = Latency::default());
    for consumer in &mut slice.report.consumers {
        if let Some(counts) = &mut consumer.counts {
            (counts.latency, counts.clock_skew_seconds) = (None, None);
        }
        if flow.late_after.is_some() && !consumer.not_decidable.contains(&Kind::Late) {
            consumer.not_decidable.push(Kind::Late);
        }
    }
}
