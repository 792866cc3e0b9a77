//! What each consumer is owed, and what its records can still prove.

use super::{config, days, everywhere, ids, ids_at, json, usual};
use crate::world::{Flow, flow, run, run_day, totals};
use msgrecon::model::{Kind, Outcome, Verdict};

#[tokio::test]
async fn d27_two_consumers_share_one_dedup_table() {
    let story = "event a acked 10:00:00 10:00:00\nreceipt a billing 10:00:01\nreceipt a mailer 10:00:01\n\
                 event b acked 10:01:00 10:01:00\nreceipt b billing 10:01:01\n\
                 event c acked 10:02:00 10:02:00\nreceipt c billing 10:02:01\nreceipt c audit 10:02:01";
    everywhere(story, async |place| {
        let both = Flow { consumers: vec!["billing", "mailer"], ..Flow::default() };
        let run = run_day(&config(place, &both.toml()), super::DAY, super::AS_OF).await;
        let (billing, mailer) = (totals(&run, "billing"), totals(&run, "mailer"));
        assert_eq!((billing.acked, billing.consumed(), billing.missing), (3, 3, 0));
        assert_eq!((mailer.acked, mailer.consumed(), mailer.missing), (3, 1, 2));
        assert_eq!(ids_at(&run, "mailer", Kind::Missing), ["b", "c"]);
        assert_eq!(run.differences_total, 2, "no duplicate, no orphan: {:?}", run.differences);
        assert_eq!(flow(&run).consumers[0].outcome, Outcome::Balanced);
        let named: Vec<_> = flow(&run).consumers.iter().flat_map(|of| of.other_consumers.clone()).collect();
        assert_eq!(named, [("audit".to_owned(), 1)]);
        assert!(super::table(&run).contains("audit (1)"));
    })
    .await;
}

const RETENTION: &str = "\
    event o1 acked 2026-02-10T10:00:00Z 2026-02-10T10:00:00Z\n\
    event o2 acked 2026-02-23T23:50:00Z 2026-02-23T23:50:00Z\n\
    event o3 acked 2026-02-24T00:10:00Z 2026-02-24T00:10:00Z\n\
    receipt o3 billing 2026-02-24T00:11:00Z\n\
    event o4 acked 2026-02-25T10:00:00Z 2026-02-25T10:00:00Z";

#[tokio::test]
async fn d28_dedup_records_purged_by_retention() {
    everywhere(RETENTION, async |place| {
        let kept = Flow { consumer: "retention = \"7d\"\n".to_owned(), ..Flow::default() };
        let asked = days("2026-02-10", "2026-02-26");
        let run = run(&config(place, &kept.toml()), &asked, "2026-03-03T00:00:00Z").await;
        let sums = totals(&run, "billing");
        assert_eq!((sums.acked, sums.ok, sums.missing, sums.unverifiable), (4, 1, 1, 2));
        assert_eq!(ids(&run, Kind::Missing), ["o4"]);
        let breached: Vec<_> = flow(&run).breaches.iter().map(|breach| breach.metric.as_str()).collect();
        assert_eq!(breached, ["missing"], "nobody is alarmed by what cannot be known");
        let firm = &run.problems[0];
        assert!(firm.message.contains("2026-02-24T00:00:00"), "firm from when: {}", firm.message);
        // What differs comes before what is unknown; both are said.
        assert_eq!((run.outcome, run.complete), (Outcome::Differences, false));
        assert_eq!((run.verdict, run.exit_code), (Verdict::Fail, 1));
        assert_eq!(json(&run)["run"]["complete"], false);
    })
    .await;
}

/// The same without what differs, so that what is unknown stands alone.
#[tokio::test]
async fn d28_what_is_unverifiable_alone_is_incomplete() {
    everywhere(RETENTION, async |place| {
        let kept = Flow { consumer: "retention = \"7d\"\n".to_owned(), ..Flow::default() };
        let asked = days("2026-02-10", "2026-02-25");
        let run = run(&config(place, &kept.toml()), &asked, "2026-03-03T00:00:00Z").await;
        assert_eq!(run.differences, []);
        assert_eq!((run.outcome, run.exit_code), (Outcome::Incomplete, 3));
    })
    .await;
}

#[tokio::test]
async fn d28_without_a_declared_retention_a_hint_says_that_older_records_may_be_gone() {
    everywhere(RETENTION, async |place| {
        let asked = days("2026-02-10", "2026-02-26");
        let run = run(&config(place, &usual()), &asked, "2026-03-03T00:00:00Z").await;
        assert_eq!(ids(&run, Kind::Missing), ["o1", "o2", "o4"]);
        let hints = flow(&run).hints.join("\n");
        assert!(hints.contains("retention") && hints.contains("2026-02-24T00:11:00"), "{hints}");
    })
    .await;
}
