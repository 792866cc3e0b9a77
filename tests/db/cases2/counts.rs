//! Counts that hide what ids show.

use super::{AS_OF, DAY, changed, config, detail, everywhere, ids, json, usual_day};
use crate::world::{brief, flow, run_day, totals};
use msgrecon::model::{Kind, Outcome, Verdict};

#[tokio::test]
async fn d24_counts_agree_ids_do_not() {
    let story = "event a acked 10:00:00 10:00:00\nevent b acked 10:01:00 10:01:00\n\
                 event c acked 10:02:00 10:02:00\nreceipt a billing 10:00:01\n\
                 receipt b billing 10:01:01\nreceipt b billing 10:01:02";
    everywhere(story, async |place| {
        let run = usual_day(place).await;
        assert_eq!(brief(&run), ["duplicate b", "missing c"]);
        let (sums, report) = (totals(&run, "billing"), json(&run));
        let read = &report["flows"][0]["consumers"][0]["receipts"]["read"];
        assert_eq!((sums.acked, read.as_u64()), (3, Some(3)), "the count line agrees");
        assert_eq!((sums.ok, sums.missing, sums.duplicate, sums.duplicate_records), (1, 1, 1, 2));
        assert_eq!(report["flows"][0]["consumers"][0]["totals"]["consumed"], 2, "distinct messages");
        assert!(detail(&run, Kind::Duplicate).contains("2 receipts"));
        assert_eq!((run.outcome, run.verdict, run.exit_code), (Outcome::Differences, Verdict::Fail, 1));
        let breached: Vec<_> = flow(&run).breaches.iter().map(|breach| breach.metric.as_str()).collect();
        assert!(breached.contains(&"missing") && breached.contains(&"duplicate"), "{breached:?}");
    })
    .await;
}

#[tokio::test]
async fn d26_retried_sends_leave_several_rows_for_one_message() {
    let story = "event m1  failed 10:00:00 - attempts=1\nevent m1  acked 10:00:00 10:00:30 attempts=2\n\
                 event m2a acked 10:01:00 10:01:01 attempts=1\nevent m2b acked 10:01:00 10:01:05 attempts=1\n\
                 receipt m1 billing 10:00:31\nreceipt m2a billing 10:01:02\nreceipt m2b billing 10:01:06";
    everywhere(story, async |place| {
        let run = usual_day(place).await;
        assert_eq!(run.differences, []);
        let sums = totals(&run, "billing");
        assert_eq!((sums.acked, sums.ok, sums.residual()), (3, 3, 0));
        let events = flow(&run).events.unwrap();
        assert_eq!((events.rows, events.acked), (4, 3), "rows produced, distinct messages");
        assert_eq!((events.pending, events.stuck, events.publish_failed), (0, 0, 0), "superseded");
        assert_eq!((run.outcome, run.complete, run.exit_code), (Outcome::Balanced, true, 0));
    })
    .await;
}

/// The broker refused, the table says sent: a status is a claim, and no rows from a healthy source are an answer.
#[tokio::test]
async fn d32_marked_as_sent_although_the_broker_refused() {
    let story = "event g1 acked 10:00:00 10:00:00\nevent g2 acked 10:01:00 10:01:00\n\
                 event g3 acked 10:02:00 10:02:00\nevent g4 acked 10:03:00 10:03:00\n\
                 event g5 acked 10:04:00 10:04:00\n\
                 event before acked 2026-03-01T10:00:00Z 2026-03-01T10:00:00Z\n\
                 receipt before billing 2026-03-01T10:00:01Z\n\
                 event after acked 2026-03-03T01:00:00Z 2026-03-03T01:00:00Z\n\
                 receipt after billing 2026-03-03T01:00:01Z";
    everywhere(story, async |place| {
        let flow_text = super::usual() + "[flows.thresholds]\nmissing = { fail = 1 }\n";
        let run = run_day(&config(place, &flow_text), DAY, AS_OF).await;
        assert_eq!(ids(&run, Kind::Missing), ["g1", "g2", "g3", "g4", "g5"]);
        let sums = totals(&run, "billing");
        assert_eq!((sums.acked, sums.consumed(), sums.missing), (5, 0, 5));
        assert!(run.complete && run.problems.is_empty(), "the source did not fail: {:?}", run.problems);
        assert_eq!((run.outcome, run.verdict, run.exit_code), (Outcome::Differences, Verdict::Fail, 1));
        assert_eq!(flow(&run).breaches.len(), 1, "{:?}", flow(&run).breaches);
    })
    .await;
}

/// Rows that vanish at the ack: the table is empty by design, and nothing is an orphan for that.
#[tokio::test]
async fn d29_outbox_rows_are_deleted_after_publishing() {
    let story = "event p9 pending 10:00:00 -\nreceipt p1 billing 09:00:00\nreceipt p2 billing 09:05:00";
    everywhere(story, async |place| {
        let vanishing = changed("attempts = ", "after_ack = \"delete\"\nattempts = ");
        let run = run_day(&config(place, &vanishing), DAY, AS_OF).await;
        assert_eq!(brief(&run), ["stuck p9"]);
        let (consumer, report) = (&flow(&run).consumers[0], json(&run));
        assert_eq!(consumer.not_decidable, [Kind::Missing, Kind::Orphan]);
        assert_eq!(consumer.counts.as_ref().unwrap().receipts.read, 2, "consumed");
        let sums = &report["flows"][0]["consumers"][0]["totals"];
        assert!(sums["orphan"].is_null() && sums["missing"].is_null(), "not decidable is not 0: {sums}");
        assert_ne!(run.outcome, Outcome::Balanced);
        assert!(flow(&run).hints.join("\n").contains("not decidable by id"));
        assert!(super::table(&run).contains("not decidable"));

        let run = usual_day(place).await;
        assert_eq!(brief(&run), ["orphan p1", "orphan p2", "stuck p9"]);
        let hints = flow(&run).hints.join("\n");
        assert!(hints.contains("after_ack = \"delete\""), "all receipts are orphans: {hints}");
    })
    .await;
}
