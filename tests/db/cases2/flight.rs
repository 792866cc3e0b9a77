//! Messages on their way at the edge of a window.

use super::{DAY, config, days, detail, everywhere, ids, usual};
use crate::world::{brief, run, run_day, totals};
use msgrecon::model::{Kind, Outcome};

const EDGE: &str = "\
    event a acked 23:58:00 23:58:00\n\
    event b acked 23:40:00 23:40:00\n\
    event c acked 23:59:50 23:59:50\nreceipt c billing 2026-03-03T00:00:10Z\n\
    event d acked 2026-03-03T00:05:00Z 2026-03-03T00:05:00Z\nreceipt d billing 2026-03-03T00:05:01Z\n\
    event f acked 12:00:00 12:00:00\nreceipt f billing 14:00:00";

#[tokio::test]
async fn d33_window_edge_in_flight_and_reads_at_different_moments() {
    everywhere(EDGE, async |place| {
        let flow = config(place, &usual());
        let early = run_day(&flow, DAY, "2026-03-03T00:05:00Z").await;
        // a is on its way, c came over the edge, d is not there yet.
        assert_eq!(brief(&early), ["missing b", "late f"]);
        let sums = totals(&early, "billing");
        assert_eq!((sums.acked, sums.ok, sums.late, sums.in_flight, sums.missing), (4, 1, 1, 1, 1));
        assert_eq!((sums.orphan, sums.residual()), (0, 0));

        let next = run_day(&flow, "2026-03-03", "2026-03-03T00:05:00Z").await;
        assert_eq!(next.differences, [], "c is no orphan of the day of its receipt");
        assert_eq!(totals(&next, "billing"), msgrecon::model::Totals::default(), "d is not before the as-of");
        assert_eq!((next.outcome, next.exit_code), (Outcome::Balanced, 0));

        let later = run_day(&flow, DAY, "2026-03-03T00:30:00Z").await;
        assert_eq!(ids(&later, Kind::Missing), ["a", "b"]);
        let sums = totals(&later, "billing");
        assert_eq!((sums.acked, sums.ok, sums.late, sums.in_flight, sums.missing), (4, 1, 1, 0, 2));
    })
    .await;
}

/// One frozen as-of: both days in one run hold the rows that each of them holds alone, once.
#[tokio::test]
async fn d33_both_days_at_once_hold_the_same_rows() {
    everywhere(EDGE, async |place| {
        let both = run(&config(place, &usual()), &days(DAY, "2026-03-04"), "2026-03-03T00:05:00Z").await;
        assert_eq!(brief(&both), ["missing b", "late f"]);
        let sums = totals(&both, "billing");
        assert_eq!((sums.acked, sums.ok, sums.late, sums.in_flight, sums.missing), (4, 1, 1, 1, 1));
        let after = run(&config(place, &usual()), &days(DAY, "2026-03-04"), "2026-03-03T00:30:00Z").await;
        assert_eq!(totals(&after, "billing").acked, 5, "d is there once its time has come");
        assert_eq!(ids(&after, Kind::Missing), ["a", "b"]);
    })
    .await;
}

#[tokio::test]
async fn d33_the_evidence_says_how_long() {
    everywhere(EDGE, async |place| {
        let run = run_day(&config(place, &usual()), DAY, "2026-03-03T00:05:00Z").await;
        let lost = run.differences.iter().find(|difference| difference.kind == Kind::Missing).unwrap();
        assert_eq!(lost.age, Some(25 * 60 * 1_000_000));
        assert_eq!(lost.acked_at.unwrap().to_rfc3339(), "2026-03-02T23:40:00Z");
        assert!(
            detail(&run, Kind::Late).contains("consumed 2h after the ack"),
            "{}",
            detail(&run, Kind::Late)
        );
    })
    .await;
}
