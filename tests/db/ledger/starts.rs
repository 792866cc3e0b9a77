//! Where scheduled runs of a flow begin, and what happens when that changes.

use super::everywhere;

const STORY: &str = "\
    day 2026-02-27\nevent a acked 10:00 10:00\nreceipt a billing 10:01\n\
    day 2026-02-28\nevent b acked 10:00 10:00\n\
    day 2026-03-01\nevent c acked 10:00 10:00\nreceipt c billing 10:01\n\
    day 2026-03-02\nevent d acked 10:00 10:00\nreceipt d billing 10:01";

#[tokio::test]
async fn a_new_flow_begins_yesterday_or_where_it_is_told_to() {
    everywhere(async |bench| {
        bench.tell(STORY).await;
        let first = bench.due("2026-03-02T11:30:00Z").ended(0);
        assert_eq!(first.windows()[0], "2026-03-01T00:00:00Z");
        assert_eq!((first.windows().len(), first.total("ok")), (24 + 11, 2));
        assert!(first.json()["run"]["last_run"].is_null());

        let earlier = bench.run("--start 2026-02-28 --as-of 2026-03-02T11:40:00Z").ended(1);
        assert_eq!(earlier.listed(), ["missing b new"]);
        assert_eq!(earlier.life("watermark"), "2026-03-02T11:00:00Z");
        assert_eq!(bench.windows().await, 2 * 24 + 11);
        assert_eq!(bench.counts().await, ["28T10:00 1 1 0", "01T10:00 1 0 0", "02T10:00 1 0 0"]);
        // What is found in windows that were never judged was not found late.
        assert_eq!(earlier.json()["differences"][0]["after_first_check"], false);
    })
    .await;
}

#[tokio::test]
async fn the_start_of_the_configuration_counts_and_an_earlier_one_fills_what_is_before() {
    everywhere(async |bench| {
        bench.tell(STORY).await;
        bench.change("grace = ", "start = \"2026-03-01T00:00:00Z\"\ngrace = ");
        bench.due("2026-03-02T11:30:00Z").ended(0);
        assert_eq!(bench.windows().await, 24 + 11);
        bench.change("start = \"2026-03-01T", "start = \"2026-02-27T");
        let capped = bench.run("--max-windows 30 --as-of 2026-03-02T11:40:00Z").ended(3);
        assert_eq!(
            (capped.life("watermark"), capped.life("due")),
            ("2026-02-28T06:00:00Z".into(), 18.into())
        );
        assert_eq!(bench.counts().await.len(), 3, "{:?}", bench.counts().await);
        let whole = bench.due("2026-03-02T11:50:00Z").ended(1);
        assert_eq!(whole.life("watermark"), "2026-03-02T11:00:00Z");
        let counts = ["27T10:00 1 0 0", "28T10:00 1 1 0", "01T10:00 1 0 0", "02T10:00 1 0 0"];
        assert_eq!(
            (bench.counts().await, bench.windows().await),
            (counts.map(String::from).to_vec(), 3 * 24 + 11)
        );
    })
    .await;
}

/// Spans of the ledger's windows that leave something between them, or overlap.
async fn seams(bench: &super::Bench) -> Vec<String> {
    let rows = bench.ask("from_at, until_at", "msgrecon_windows ORDER BY from_at").await;
    let spans: Vec<_> = rows.iter().map(|row| row.split_once('|').unwrap()).collect();
    let torn = spans.windows(2).filter(|pair| pair[0].1 != pair[1].0);
    torn.map(|pair| format!("{pair:?}")).collect()
}

#[tokio::test]
async fn another_window_size_leaves_no_hole_and_counts_nothing_twice() {
    for sizes in [["1h", "2h", "1h"], ["1h", "1d", "30m"], ["1d", "1h", "7h"]] {
        everywhere(async |bench| {
            bench.tell(STORY).await;
            let mut before = "1h".to_owned();
            let mut last = None;
            for (size, as_of) in
                sizes.iter().zip(["2026-03-01T11:30:00Z", "2026-03-02T15:30:00Z", "2026-03-03T11:30:00Z"])
            {
                bench.change(&format!("window = \"{before}\""), &format!("window = \"{size}\""));
                before = (*size).to_owned();
                last = Some(bench.run(&format!("--start 2026-02-27 --as-of {as_of}")).ended(1));
                assert_eq!(seams(bench).await, Vec::<String>::new(), "{size} of {sizes:?}");
            }
            let last = last.unwrap();
            let sums = bench.ask("SUM(acked), SUM(lost)", "msgrecon_windows").await;
            assert_eq!(sums, ["4|1"], "{sizes:?}");
            assert!(last.life("watermark").as_str().unwrap() > "2026-03-03T00", "{sizes:?}");
            assert_eq!(last.total("missing"), 1, "b, once");
            assert_eq!(bench.differences("").await, ["b|missing|open"]);
        })
        .await;
    }
}
