//! Ranges by hand beside the schedule: what they record, and what they leave alone.

use super::everywhere;

const STORY: &str = "\
    day 2026-03-01\nevent a acked 10:00 10:00\nreceipt a billing 10:01\n\
    day 2026-03-02\nevent b acked 10:00 10:00\nreceipt b billing 10:01\n\
    day 2026-03-03\nevent c acked 10:00 10:00";

#[tokio::test]
async fn a_day_by_hand_is_recorded_and_the_schedule_fills_the_hole_before_it() {
    everywhere(async |bench| {
        let (first, rest) = STORY.split_at(STORY.find("day 2026-03-02").unwrap());
        bench.tell(first).await;
        bench.due("2026-03-02T00:30:00Z").ended(0);
        bench.tell(rest).await;
        assert_eq!(bench.counts().await, ["01T10:00 1 0 0"]);

        let by_hand = bench.run("--date 2026-03-03 --as-of 2026-03-04T06:00:00Z").ended(1);
        assert_eq!(by_hand.json()["run"]["scheduled"], false);
        assert_eq!(by_hand.listed(), ["missing c new"]);
        assert_eq!(bench.counts().await, ["01T10:00 1 0 0", "03T10:00 1 1 0"]);
        assert_eq!(bench.windows().await, 48);
        assert_eq!(by_hand.life("watermark"), "2026-03-02T00:00:00Z", "no jump over the hole");

        let due = bench.due("2026-03-04T06:10:00Z").ended(1);
        assert_eq!(due.json()["run"]["scheduled"], true);
        assert_eq!(bench.counts().await, ["01T10:00 1 0 0", "02T10:00 1 0 0", "03T10:00 1 1 0"]);
        assert_eq!(due.life("watermark"), "2026-03-04T05:00:00Z");
        assert_eq!(bench.windows().await, 3 * 24 + 5);
        assert!(due.listed()[0].starts_with("missing c"), "{:?}", due.listed());
        assert_eq!(bench.differences(", times_seen").await, ["c|missing|open|2"]);
    })
    .await;
}

#[tokio::test]
async fn only_whole_and_settled_windows_of_a_range_are_recorded() {
    everywhere(async |bench| {
        bench.tell(STORY).await;
        // From 03-03T06:20 on: the first window is cut, and 06:00 of the next day was not settled at 06:05.
        let last = bench.run("--last 24h --as-of 2026-03-04T06:20:00Z").ended(1);
        assert_eq!(last.listed(), ["missing c new"]);
        let ends = bench.ask("MIN(from_at), MAX(until_at), COUNT(*)", "msgrecon_windows").await;
        let at = |text: &str| crate::world::at(text).0;
        let (first, end) = (at("2026-03-03T07:00:00Z"), at("2026-03-04T06:00:00Z"));
        assert_eq!(ends, [format!("{first}|{end}|23")]);
        assert!(bench.ask("flow", "msgrecon_flows").await.is_empty(), "a range begins no flow");

        bench
            .run("--from 2026-03-03T10:30:00Z --until 2026-03-03T11:30:00Z --as-of 2026-03-04T06:20:00Z")
            .ended(0);
        assert_eq!(bench.ask("COUNT(*)", "msgrecon_windows").await, ["23"], "halves count for nothing");
        assert_eq!(bench.counts().await, ["03T10:00 1 1 0"]);
        let unsettled = bench
            .run("--from 2026-03-04T05:00:00Z --until 2026-03-04T07:00:00Z --as-of 2026-03-04T06:05:00Z");
        unsettled.ended(0);
        assert_eq!(bench.ask("MAX(until_at)", "msgrecon_windows").await, [end.to_string()]);
    })
    .await;
}

#[tokio::test]
async fn a_difference_in_a_window_that_is_cut_is_remembered_all_the_same() {
    everywhere(async |bench| {
        bench.tell(STORY).await;
        let part = "--from 2026-03-03T09:30:00Z --until 2026-03-03T10:30:00Z --as-of 2026-03-04T06:00:00Z";
        bench.run(part).ended(1);
        assert_eq!(bench.windows().await, 0, "no window is whole");
        assert_eq!(bench.differences("").await, ["c|missing|open"]);
    })
    .await;
}

#[tokio::test]
async fn no_record_leaves_the_ledger_alone() {
    everywhere(async |bench| {
        bench.tell(STORY).await;
        bench.due("2026-03-03T00:30:00Z").ended(0);
        let (before, runs) = (bench.dump().await, bench.ask("run, state", "msgrecon_runs").await);
        let unrecorded = bench.run("--date 2026-03-03 --no-record --as-of 2026-03-04T06:00:00Z").ended(1);
        assert_eq!(unrecorded.listed(), ["missing c new"]);
        assert!(unrecorded.json()["flows"][0]["life"].is_null());
        assert_eq!(bench.dump().await, before);
        assert_eq!(bench.ask("run, state", "msgrecon_runs").await, runs);
        bench.run("--no-record --as-of 2026-03-04T06:00:00Z").ended(2);
    })
    .await;
}

#[tokio::test]
async fn an_earlier_as_of_overwrites_no_later_judgement() {
    everywhere(async |bench| {
        bench.tell(STORY).await;
        bench.run("--start 2026-03-03 --as-of 2026-03-04T06:00:00Z").ended(1);
        bench.tell("day 2026-03-04\nreceipt c billing 07:00").await;
        bench.due("2026-03-04T08:00:00Z").ended(0);
        let before = bench.dump().await;
        // As of then c was not there; the rows are, so that it shows as consumed, and the ledger keeps what it knows.
        bench.run("--date 2026-03-03 --as-of 2026-03-04T00:20:00Z");
        assert_eq!(bench.dump().await, before);
        bench.due("2026-03-04T00:30:00Z");
        assert_eq!(bench.dump().await, before);
    })
    .await;
}

#[tokio::test]
async fn a_window_judged_again_replaces_its_counts() {
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nevent a acked 10:00 10:00\nreceipt a billing 10:01\nevent b acked 10:10 10:10").await;
        bench.due("2026-03-02T11:30:00Z").ended(1);
        assert_eq!(bench.counts().await, ["02T10:00 2 1 0"]);
        bench.tell("day 2026-03-02\nevent c acked 10:20 10:20\nreceipt c billing 10:21\nevent d pending 10:30 -").await;
        for as_of in ["2026-03-02T12:30:00Z", "2026-03-02T13:30:00Z"] {
            let again = bench.due(as_of).ended(1);
            assert_eq!((again.total("acked"), again.total("ok"), again.total("missing")), (3, 2, 1));
            assert_eq!(bench.counts().await, ["02T10:00 3 1 1"]);
        }
        let by_hand = bench.run("--date 2026-03-02 --as-of 2026-03-03T06:00:00Z").ended(1);
        assert_eq!(by_hand.total("acked"), 3);
        assert_eq!(bench.counts().await, ["02T10:00 3 1 1"]);
        assert_eq!(bench.differences(", times_seen").await, ["b|missing|open|4", "d|stuck|open|3"]);
    })
    .await;
}
