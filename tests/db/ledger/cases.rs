//! Cases from the field in which the ledger's memory matters, under their numbers.

use super::{Told, everywhere, together};
use crate::child;

/// The case's clock: Berlin's day of 2026-03-29 has 23 hours.
const DAYS: &str = "\
    day 2026-03-27\nevent a acked 10:00 10:00\nreceipt a billing 10:00:01\n\
    day 2026-03-28\nevent b acked 10:00 10:00\nreceipt b billing 10:00:01\n\
    day 2026-03-29\nevent c acked 10:00 10:00\nreceipt c billing 10:00:01\n\
    day 2026-03-30\nevent d acked 10:00 10:00\nreceipt d billing 10:00:01";

#[tokio::test]
async fn d14_a_gap_is_caught_up_day_by_day_and_the_same_run_again_changes_nothing() {
    everywhere(async |bench| {
        bench.top = "time_zone = \"Europe/Berlin\"\n".to_owned();
        bench.change("window = \"1h\"", "window = \"1d\"");
        bench.tell(DAYS).await;
        bench.run("--start 2026-03-27 --as-of 2026-03-28T00:30:00Z").ended(0);
        assert_eq!(bench.counts().await, ["26T23:00 1 0 0"]);

        let gap = bench.due("2026-03-30T00:30:00Z").ended(0);
        assert_eq!(
            (gap.total("acked"), gap.total("ok")),
            (3, 3),
            "b and c, and once more a, whose day had just ended"
        );
        let windows = gap.json()["flows"][0]["consumers"][0]["windows"].clone();
        assert_eq!(windows[2]["from"], "2026-03-28T23:00:00Z");
        assert_eq!(windows[2]["until"], "2026-03-29T22:00:00Z", "23 hours");
        assert_eq!(windows.as_array().unwrap().len(), 3);
        assert_eq!(bench.counts().await, ["26T23:00 1 0 0", "27T23:00 1 0 0", "28T23:00 1 0 0"]);
        assert_eq!(gap.life("watermark"), "2026-03-29T22:00:00Z");

        let before = bench.dump().await;
        let again = bench.due("2026-03-30T00:30:00Z").ended(0);
        assert_eq!(bench.dump().await, before, "the second start of the same run");
        assert_eq!(again.changes(), [0; 5]);
    })
    .await;
}

#[tokio::test]
async fn d14_zones_are_known_without_zone_files_and_never_guessed() {
    everywhere(async |bench| {
        let empty = tempfile::tempdir().unwrap();
        let run = |bench: &super::Bench, arguments: &str| {
            let mut command = bench.command(arguments);
            for name in ["TZDIR", "ZONEINFO"] {
                command.env(name, empty.path());
            }
            Told::new(command.env("TZ", "Europe/Berlin").output().unwrap())
        };
        bench.change("window = \"1h\"", "window = \"1d\"");
        bench.tell(DAYS).await;
        bench.top = "time_zone = \"Europe/Berlin\"\n".to_owned();
        let berlin = run(bench, "run --start 2026-03-27 --as-of 2026-03-30T00:30:00Z").ended(0);
        let page = child::out(&berlin.output);
        assert!(page.contains("Europe/Berlin") && page.contains("+02:00"), "{page}");
        assert_eq!(bench.counts().await, ["26T23:00 1 0 0", "27T23:00 1 0 0", "28T23:00 1 0 0"]);
        let before = bench.dump().await;
        for zone in ["Europe/Berlim", "local"] {
            bench.top = format!("time_zone = \"{zone}\"\n");
            let refused = run(bench, "run --as-of 2026-03-31T00:30:00Z").ended(2);
            assert!(refused.err().contains(zone) && refused.err().contains("time_zone"), "{}", refused.err());
        }
        assert_eq!(bench.dump().await, before);
    })
    .await;
}

#[tokio::test]
async fn d31_a_row_that_commits_late_is_found_once_in_its_own_window() {
    together(async |bench| {
        bench.tell("day 2026-03-02\nevent a acked 23:39:30 23:40\nreceipt a billing 23:41").await;
        let first = bench.due("2026-03-03T00:30:00Z").ended(0);
        assert_eq!((first.total("ok"), &first.json()["run"]["outcome"]), (1, &"balanced".into()));

        bench.tell("day 2026-03-02\nevent z acked 23:50 23:50:30").await;
        let second = bench.due("2026-03-04T00:30:00Z").ended(1);
        assert_eq!(second.listed(), ["missing z new"]);
        let z = &second.json()["differences"][0];
        assert_eq!(z["window_from"], "2026-03-02T23:00:00Z");
        assert_eq!((&z["after_first_check"], &z["times_seen"]), (&true.into(), &1.into()));
        assert_eq!(second.changes(), [1, 0, 0, 0, 0]);
        assert_eq!(second.json()["run"]["last_run"]["as_of"], "2026-03-03T00:30:00Z");
        assert_eq!(bench.counts().await, ["02T23:00 2 1 0"], "replaced, and not added to");

        let third = bench.due("2026-03-05T00:30:00Z").ended(1);
        assert_eq!(third.listed(), ["missing z open"]);
        let z = &third.json()["differences"][0];
        assert_eq!((&z["first_seen"], &z["times_seen"]), (&"2026-03-04T00:30:00Z".into(), &2.into()));
        assert_eq!((third.total("missing"), third.changes()), (1, [0, 1, 0, 0, 0]));
        assert_eq!(bench.counts().await, ["02T23:00 2 1 0"]);
    })
    .await;
}
