//! Windows: days of 23 and 25 hours, rows on an edge, clocks that disagree.

use super::common::{all_ok, assert_balanced, assert_differs, counts, longest, on, report, skew, tell, told};
use crate::world::{DIALECTS, Flow, at, brief, flow, run, run_day};
use msgrecon::model::time::HOUR;
use msgrecon::model::{Run, Span, Totals};
use msgrecon::plan::{Edge, Request};
use msgrecon::report::{Format, Options, csv};

const DAYS: &str = "
event   n1 acked 2026-03-08T04:59:59Z 2026-03-08T04:59:59Z
event   n2 acked 2026-03-08T05:00:00Z 2026-03-08T05:00:00Z
event   n3 acked 2026-03-09T03:59:59Z 2026-03-09T03:59:59Z
event   n4 acked 2026-03-09T04:00:00Z 2026-03-09T04:00:00Z
event   f1 acked 2026-11-01T04:00:00Z 2026-11-01T04:00:00Z
event   f2 acked 2026-11-01T05:30:00Z 2026-11-01T05:30:00Z
event   f3 acked 2026-11-01T06:30:00Z 2026-11-01T06:30:00Z
event   f4 acked 2026-11-02T04:30:00Z 2026-11-02T04:30:00Z
receipt n1 billing 2026-03-08T05:00:00Z
receipt n2 billing 2026-03-08T05:00:01Z
receipt n4 billing 2026-03-09T04:00:01Z
receipt f1 billing 2026-11-01T04:00:01Z
receipt f2 billing 2026-11-01T05:30:01Z
receipt f3 billing 2026-11-01T06:30:01Z
receipt f4 billing 2026-11-02T04:30:01Z
";

/// The run's only window.
fn only_window(run: &Run) -> Span {
    assert_eq!(counts(run).windows.len(), 1);
    counts(run).windows[0].0.0
}

#[tokio::test]
async fn d01_local_day_of_23_or_25_hours() {
    let new_york = "time_zone = \"America/New_York\"\n\n";
    on(&DIALECTS, async |place| {
        tell(place, DAYS).await;
        let daily = new_york.to_owned() + &told(place, "window = \"1d\"\ngrace = \"15m\"\n");
        let day = async |date| run_day(&daily, date, "2026-11-03T00:00:00Z").await;

        let spring = day("2026-03-08").await;
        assert_differs(&spring, Totals { acked: 2, ok: 1, missing: 1, ..Totals::default() });
        assert_eq!((brief(&spring), spring.exit_code), (vec!["missing n3".to_owned()], 1));
        let window = only_window(&spring);
        assert_eq!(window, Span::new(at("2026-03-08T05:00:00Z"), at("2026-03-09T04:00:00Z")));
        assert_eq!(window.micros(), 23 * HOUR);

        for before_and_after in ["2026-03-07", "2026-03-09"] {
            assert_balanced(&day(before_and_after).await, all_ok(1));
        }
        let autumn = day("2026-11-01").await;
        assert_balanced(&autumn, all_ok(4));
        assert_eq!(only_window(&autumn), Span::new(at("2026-11-01T04:00:00Z"), at("2026-11-02T05:00:00Z")));
        assert_eq!(only_window(&autumn).micros(), 25 * HOUR);

        let hourly = new_york.to_owned() + &told(place, &Flow::default().rules);
        let hours = run_day(&hourly, "2026-11-01", "2026-11-03T00:00:00Z").await;
        assert_balanced(&hours, all_ok(4));
        assert_25_hours(&hours);
    })
    .await;
}

/// 25 windows that add up to the day; the two that begin at one o'clock are told apart by their labels.
fn assert_25_hours(run: &Run) {
    let acked: Vec<_> = counts(run).windows.iter().map(|(_, totals)| totals.acked).collect();
    assert_eq!(acked.len(), 25);
    assert_eq!((acked[0], acked[1], acked[2], acked[24], acked.iter().sum::<u64>()), (1, 1, 1, 1, 4));
    let text = String::from_utf8(csv::windows(run, Options::default()).unwrap()).unwrap();
    let labels: Vec<_> = text.lines().skip(1).map(|line| line.split(',').nth(4).unwrap()).collect();
    assert_eq!((labels[1], labels[2]), ("2026-11-01 01:00 -04:00", "2026-11-01 01:00 -05:00"));
}

const EDGES: &str = "
day 2026-03-02
event   b1 acked 00:00:00 00:00:00
event   b2 acked 23:59:59.999999 23:59:59.999999
event   b3 acked 2026-03-03T00:00:00Z 2026-03-03T00:00:00Z
receipt b1 billing 00:00:01
receipt b2 billing 2026-03-03T00:00:00.999999Z
receipt b3 billing 2026-03-03T00:00:01Z
";

/// Hour of the range and number of acked messages, where there are any.
fn busy_hours(run: &Run) -> Vec<(usize, u64)> {
    let hours = counts(run).windows.iter().enumerate().map(|(hour, (_, totals))| (hour, totals.acked));
    hours.filter(|(_, acked)| *acked > 0).collect()
}

#[tokio::test]
async fn d04_rows_exactly_on_a_window_edge() {
    let days =
        Request::Range(Edge::Date("2026-03-02".parse().unwrap()), Edge::Date("2026-03-04".parse().unwrap()));
    let as_of = "2026-03-04T06:00:00Z";
    on(&DIALECTS, async |place| {
        tell(place, EDGES).await;
        let daily = told(place, "window = \"1d\"\ngrace = \"15m\"\n");
        let hourly = told(place, &Flow::default().rules);
        assert_balanced(&run_day(&daily, "2026-03-02", as_of).await, all_ok(2));
        assert_balanced(&run_day(&daily, "2026-03-03", as_of).await, all_ok(1));
        let both = run(&daily, &days, as_of).await;
        assert_balanced(&both, all_ok(3));
        let acked: Vec<_> = counts(&both).windows.iter().map(|(_, totals)| totals.acked).collect();
        assert_eq!(acked, [2, 1]);
        let hours = run(&hourly, &days, as_of).await;
        assert_balanced(&hours, all_ok(3));
        assert_eq!((counts(&hours).windows.len(), busy_hours(&hours)), (48, vec![(0, 1), (23, 1), (24, 1)]));

        // Without the receipts each id is named, in one window alone.
        place.execute(&["DELETE FROM consumed_message"]).await;
        assert_eq!(brief(&run_day(&daily, "2026-03-02", as_of).await), ["missing b1", "missing b2"]);
        assert_eq!(brief(&run_day(&daily, "2026-03-03", as_of).await), ["missing b3"]);
        let lost = run(&hourly, &days, as_of).await;
        assert_differs(&lost, Totals { acked: 3, missing: 3, ..Totals::default() });
        let windows: Vec<_> = lost.differences.iter().map(|one| one.window_from.unwrap()).collect();
        assert_eq!(
            windows,
            [at("2026-03-02T00:00:00Z"), at("2026-03-02T23:00:00Z"), at("2026-03-03T00:00:00Z")]
        );
    })
    .await;
}

const CLOCKS: &str = "
day 2026-03-02
event   t1 acked 10:00:05 10:00:05
receipt t1 billing 10:00:03
event   t2 acked 10:00:00.000017 10:00:00.000017
receipt t2 billing 10:00:00
event   t3 acked 2026-03-03T08:00:00Z 2026-03-03T08:00:00Z
event   t4 pending 2026-03-03T08:00:00Z -
";

#[tokio::test]
async fn d12_consumer_clock_behind_and_future_times() {
    on(&DIALECTS, async |place| {
        tell(place, CLOCKS).await;
        let config = told(place, &Flow::default().rules);
        let day = run_day(&config, "2026-03-02", "2026-03-03T06:00:00Z").await;
        assert_balanced(&day, all_ok(2));
        // The skew is said, and kept out of the percentiles.
        assert_eq!((skew(&day), longest(&day)), ("2.0".to_owned(), "-".to_owned()));
        assert!(report(&day, Format::Table).contains("clock skew 2s"), "{}", report(&day, Format::Table));

        let today = run_day(&config, "2026-03-03", "2026-03-03T06:00:00Z").await;
        assert_balanced(&today, Totals::default());
        let events = flow(&today).events.unwrap();
        assert_eq!((events.rows, events.stuck, events.unattributable), (0, 0, 0));
        assert_eq!(flow(&today).backlog.unwrap().count, 0);

        // Once their time has come they are judged as any other.
        let later = run_day(&config, "2026-03-03", "2026-03-03T09:00:00Z").await;
        assert_differs(&later, Totals { acked: 1, missing: 1, ..Totals::default() });
        assert_eq!(brief(&later), ["missing t3", "stuck t4"]);
        assert_eq!(flow(&later).backlog.unwrap().count, 1);
    })
    .await;
}
