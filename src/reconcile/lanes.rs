//! Flows side by side: so many lanes, each with a session of its own with the ledger, take one flow after the other.

use super::Keeping;
use crate::config::Config;
use crate::ledger::Ledger;
use crate::plan::FlowPlan;
use futures_util::future::join_all;
use std::sync::{Mutex, PoisonError};

/// What a lane does with each of its flows.
pub(super) trait Job<'f> {
    /// What comes of a flow.
    type Done;
    /// Does it.
    async fn flow(&self, flow: &'f FlowPlan, keeping: &mut Keeping<'_>) -> Self::Done;
}

/// Does the job for every flow; the results are in the order of the flows. A ledger that does not take more sessions
/// leaves fewer lanes.
pub(super) async fn side_by_side<'f, J: Job<'f>>(
    flows: &'f [FlowPlan],
    config: &Config,
    keeping: &mut Keeping<'_>,
    job: &J,
) -> Vec<J::Done> {
    let mut ledgers = Vec::new();
    for _ in 1..config.jobs.min(flows.len()) {
        match Ledger::open(&config.ledger.url, false).await {
            Ok(ledger) => ledgers.push(ledger),
            Err(error) => {
                tracing::warn!("{error}; fewer flows are read side by side");
                break;
            }
        }
    }
    let (lease, zone) = (keeping.lease, keeping.zone);
    let next = Mutex::new(flows.iter().enumerate());
    let lane = async |mut keeping: Keeping<'_>| {
        let mut done = Vec::new();
        loop {
            let taken = next.lock().unwrap_or_else(PoisonError::into_inner).next();
            let Some((place, flow)) = taken else { return done };
            done.push((place, job.flow(flow, &mut keeping).await));
        }
    };
    let first = Keeping { ledger: &mut *keeping.ledger, lease, zone };
    let others = ledgers.iter_mut().map(|ledger| Keeping { ledger, lease, zone });
    let lanes = std::iter::once(first).chain(others).map(lane);
    let mut done: Vec<_> = join_all(lanes).await.into_iter().flatten().collect();
    for ledger in ledgers {
        ledger.close().await;
    }
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, done)| done).collect()
}
