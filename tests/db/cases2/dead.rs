//! Dead letters that were driven again.

use super::{changed, config, everywhere, ids, usual_day};
use crate::world::{brief, flow, run_day, totals};
use msgrecon::model::{Kind, Outcome};

const STORY: &str = "\
    event m1 acked 09:00:00 09:00:00\nevent m2 acked 09:01:00 09:01:00\n\
    event m3 acked 09:02:00 09:02:00\nevent m4 acked 09:03:00 09:03:00\n\
    dead m1 billing 10:00:00\nreceipt m1 billing 11:00:00\n\
    dead m2 billing 10:00:00\nreceipt m2r billing 11:05:00 original=m2\n\
    dead m3 billing 10:00:00 reason=\"no such account\"\n\
    dead m4 billing 10:00:00 closed=10:30:00";

#[tokio::test]
async fn d35_re_driven_dead_letters_same_id_and_new_id() {
    everywhere(STORY, async |place| {
        let run = usual_day(place).await;
        // m1 and m2 are back, late; m4 was written off and needs nobody.
        assert_eq!(brief(&run), ["late m1", "late m2", "dead_lettered m3"]);
        let sums = totals(&run, "billing");
        assert_eq!((sums.acked, sums.late, sums.dead_lettered, sums.discarded), (4, 2, 1, 1));
        assert_eq!((sums.ok, sums.missing, sums.orphan, sums.residual()), (0, 0, 0, 0));
        assert!(super::detail(&run, Kind::DeadLettered).contains("no such account"));
        let counts = flow(&run).consumers[0].counts.as_ref().unwrap();
        assert_eq!(counts.consumed_but_parked, 2, "the letters of m1 and m2 are still open");
        assert_eq!((run.outcome, run.exit_code), (Outcome::Differences, 0), "by default it warns");
    })
    .await;
}

#[tokio::test]
async fn d35_without_a_link_field_the_new_id_is_an_orphan() {
    everywhere(STORY, async |place| {
        let unlinked = changed("original_id = \"original_id\"\n", "");
        let run = run_day(&config(place, &unlinked), super::DAY, super::AS_OF).await;
        assert_eq!(ids(&run, Kind::DeadLettered), ["m2", "m3"]);
        assert_eq!(ids(&run, Kind::Orphan), ["m2r"]);
        let sums = totals(&run, "billing");
        assert_eq!((sums.acked, sums.late, sums.dead_lettered, sums.discarded), (4, 1, 2, 1));
    })
    .await;
}
