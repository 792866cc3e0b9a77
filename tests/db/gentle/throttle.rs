//! Rows come no faster than they may.

use super::{AS_OF, DAY, config, tell};
use crate::world::{DIALECTS, Place, flow, run_day, totals};
use msgrecon::model::Outcome;
use std::time::{Duration, Instant};

const MESSAGES: usize = 300;

#[tokio::test]
async fn no_more_rows_a_second_come_than_are_allowed() {
    for dialect in DIALECTS {
        let Some(place) = Place::new(dialect).await else { continue };
        tell(&place, MESSAGES).await;
        let start = Instant::now();
        let run = run_day(&config(&place, "max_rows_per_second = 100"), DAY, AS_OF).await;
        // A second's rows may come at once.
        assert!(start.elapsed() >= Duration::from_secs(2), "{dialect:?}: {:?}", start.elapsed());
        assert_eq!((flow(&run).outcome, totals(&run, "billing").ok), (Outcome::Balanced, MESSAGES as u64));
        place.remove().await;
    }
}
