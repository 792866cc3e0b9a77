//! Flows side by side.

use super::{Step, Watch};
use crate::plan::FlowPlan;
use futures_util::{StreamExt as _, stream};

/// Does the job for every flow, so many at a time; what comes of them is in the order of the flows.
pub(super) async fn side_by_side<'f, T>(
    flows: &'f [FlowPlan],
    jobs: usize,
    watch: Watch<'_>,
    job: impl AsyncFn(&'f FlowPlan) -> T,
) -> Vec<T> {
    let job = &job;
    let doing = flows.iter().enumerate().map(async |(place, flow)| {
        let done = job(flow).await;
        watch(Step::Done { flow: &flow.flow.name });
        (place, done)
    });
    let mut done: Vec<_> = stream::iter(doing).buffer_unordered(jobs.max(1)).collect().await;
    done.sort_by_key(|(place, _)| *place);
    done.into_iter().map(|(_, done)| done).collect()
}
