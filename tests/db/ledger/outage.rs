//! The schedule stood still for six days of hourly windows: they are made up for, oldest first.

use super::{Bench, Told, everywhere};
use serde_json::Value;
use std::fmt::Write as _;
use std::process::Stdio;
use std::time::Instant;

const START: &str = "--start 2026-02-25 --as-of 2026-03-03T00:30:00Z";
const WINDOWS: usize = 144;

/// A message in each hour, all consumed but that of 2026-02-27T05.
fn story() -> String {
    let mut story = String::new();
    for day in ["2026-02-25", "2026-02-26", "2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"] {
        let _ = writeln!(story, "day {day}");
        for hour in 0..24 {
            let _ = writeln!(story, "event {day}-{hour:02} acked {hour:02}:10 {hour:02}:10");
            if (day, hour) != ("2026-02-27", 5) {
                let _ = writeln!(story, "receipt {day}-{hour:02} billing {hour:02}:10:01");
            }
        }
    }
    story
}

async fn watermark(bench: &Bench) -> i64 {
    bench.ask("watermark", "msgrecon_flows").await[0].parse().unwrap()
}

#[tokio::test]
async fn d42_an_outage_is_caught_up_at_once() {
    everywhere(async |bench| {
        bench.tell(&story()).await;
        let first = bench.run(START).ended(1);
        assert_eq!(first.listed(), ["missing 2026-02-27-05 new"]);
        assert_eq!(first.json()["differences"][0]["window_from"], "2026-02-27T05:00:00Z");
        assert_eq!((first.total("acked"), first.total("missing")), (144, 1));
        assert_eq!((first.windows().len(), bench.windows().await), (WINDOWS, WINDOWS), "each once");
        assert_eq!((first.life("watermark"), first.life("due")), ("2026-03-03T00:00:00Z".into(), 0.into()));

        let before = bench.dump().await;
        bench.run(START).ended(1);
        assert_eq!(bench.dump().await, before, "nothing is left to do");
        let later = bench.due("2026-03-03T00:35:00Z").ended(1);
        assert_eq!((later.changes(), later.life("due")), ([0, 1, 0, 0, 0], 0.into()));
        assert_eq!((bench.windows().await, later.total("missing")), (WINDOWS, 1));
    })
    .await;
}

#[tokio::test]
async fn d42_a_capped_start_says_so_and_the_next_ones_go_on_to_the_same_end() {
    everywhere(async |bench| {
        bench.tell(&story()).await;
        let capped = format!("{START} --max-windows 50");
        let mut marks = Vec::new();
        for (code, judged, left) in [(3, 50, 94), (1, 100, 44)] {
            let start = bench.run(&capped).ended(code);
            assert_eq!((bench.windows().await, start.life("due")), (judged, left.into()));
            assert_eq!(start.json()["run"]["complete"], false);
            let said = start.json()["problems"].to_string();
            assert!(said.contains(&format!("{left} window(s)")) && said.contains("--max-windows"), "{said}");
            marks.push(watermark(bench).await);
            let last = bench.ask("MAX(until_at)", "msgrecon_windows").await;
            assert_eq!(last, [marks.last().unwrap().to_string()], "oldest first, none skipped");
        }
        let third = bench.run(&capped).ended(1);
        marks.push(watermark(bench).await);
        assert!(marks.is_sorted() && marks[0] < marks[1] && marks[1] < marks[2], "{marks:?}");
        assert_eq!((third.json()["run"]["complete"].clone(), third.life("due")), (true.into(), 0.into()));
        assert_eq!((bench.windows().await, third.total("missing")), (WINDOWS, 1));

        let once = Bench::new(bench.ledger.dialect, bench.sources.dialect).await.unwrap();
        once.tell(&story()).await;
        once.run(START).ended(1);
        assert_eq!(bench.dump().await, once.dump().await, "three starts leave what one leaves");
        once.remove().await;
    })
    .await;
}

/// A report without what differs between any two runs.
fn timeless(told: &Told) -> Value {
    let mut report = told.json();
    report["run"]["id"] = Value::Null;
    report
}

#[tokio::test]
async fn a_start_that_is_killed_at_any_time_costs_nothing_of_the_report_nor_of_the_ledger() {
    // Three weeks, which are several slices.
    let long = "--start 2026-02-10 --as-of 2026-03-03T00:30:00Z";
    everywhere(async |bench| {
        bench.tell(&story()).await;
        let start = Instant::now();
        let undisturbed = bench.run(long).ended(1);
        let (mut whole, wanted) = (start.elapsed(), bench.dump().await);
        let mut killed = 0;
        for part in 1..8 {
            let again = Bench::new(bench.ledger.dialect, bench.sources.dialect).await.unwrap();
            again.tell(&story()).await;
            let mut run = again.command(&format!("run {long}"));
            let mut run = run.stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
            tokio::time::sleep(whole * part / 8).await;
            run.kill().unwrap();
            run.wait().unwrap();
            // One that was recorded to its end is another story: the second start.
            if again.is_recorded().await {
                // The machine has less to do than it had for the first.
                whole = whole * 2 / 3;
            } else {
                killed += 1;
                let next = again.run(long).ended(1);
                assert_eq!(timeless(&next), timeless(&undisturbed), "killed after {part}/8");
            }
            assert_eq!(again.dump().await, wanted, "killed after {part}/8");
            again.remove().await;
        }
        assert!(killed > 2, "only {killed} were killed in time");
    })
    .await;
}
