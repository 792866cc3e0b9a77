//! The metrics of a run, held to Prometheus' own reader.

use crate::{said, tool};
use msgrecon::model::alert::{Alert, AlertKey, AlertState, Silenced};
use msgrecon::model::latency::LatencySeconds;
use msgrecon::model::life::Acknowledged;
use msgrecon::model::run::{Backlog, Counts, Strategy};
use msgrecon::model::tally::EventTotals;
use msgrecon::model::time::{HOUR, MINUTE, SECOND};
use msgrecon::model::{
    ConsumerReport, FlowLife, FlowReport, Kind, Micros, Outcome, Run, Span, Totals, Verdict, Window,
};
use msgrecon::notify::metrics::{Vitals, succeeded, text, write};
use std::io::Write as _;
use std::process::Stdio;

const AS_OF: Micros = Micros(1_772_517_600_000_000);

fn consumer(name: &str, counts: Option<Counts>, not_decidable: Vec<Kind>) -> ConsumerReport {
    ConsumerReport {
        name: name.to_owned(),
        outcome: Outcome::Differences,
        complete: counts.is_some(),
        strategy: Strategy::Stream,
        counts,
        not_decidable,
        other_consumers: Vec::new(),
    }
}

fn counts() -> Counts {
    let mut totals = Totals { acked: 1_000, ..Totals::default() };
    for (kind, count) in
        [(Kind::Ok, 990), (Kind::Late, 4), (Kind::Duplicate, 3), (Kind::Missing, 3), (Kind::Orphan, 2)]
    {
        (0..count).for_each(|_| totals.add(kind, 1));
    }
    let latency = Some(LatencySeconds { p50: 0.25, p95: 1.0, p99: 61.5, max: 7_320.5 });
    let window = Window(Span::new(AS_OF.plus(-2 * HOUR), AS_OF.plus(-HOUR)));
    Counts { totals, latency, windows: vec![(window, totals)], ..Counts::default() }
}

fn flow(name: &str) -> FlowReport {
    FlowReport {
        name: name.to_owned(),
        outcome: Outcome::Differences,
        complete: true,
        verdict: Verdict::Fail,
        events: Some(EventTotals { acked: 1_000, pending: 5, stuck: 2, ..EventTotals::default() }),
        backlog: Some(Backlog {
            count: 7,
            oldest: Some(AS_OF.plus(-90 * MINUTE)),
            by_age: [0; 5],
            undated: 1,
            stuck_ahead: None,
        }),
        windows: Vec::new(),
        consumers: vec![
            consumer("points", Some(counts()), vec![Kind::Duplicate]),
            consumer("we\"ird\\\nname", Some(Counts::default()), Vec::new()),
            consumer("away", None, Vec::new()),
        ],
        acknowledged: vec![Acknowledged {
            consumer: Some("points".to_owned()),
            kind: Kind::Missing,
            count: 1,
        }],
        life: Some(FlowLife {
            new: 2,
            still_open: 9,
            watermark: Some(AS_OF.plus(-HOUR)),
            due: 4,
            ..FlowLife::default()
        }),
        breaches: Vec::new(),
        hints: Vec::new(),
    }
}

pub fn run() -> Run {
    let mut unread = flow("unread");
    (unread.complete, unread.events, unread.backlog, unread.life) = (false, None, None, None);
    unread.consumers.clear();
    Run {
        id: "20260303T0600".to_owned(),
        version: "0".to_owned(),
        as_of: AS_OF,
        span: Span::new(AS_OF.plus(-2 * HOUR), AS_OF.plus(-HOUR)),
        time_zone: chrono_tz::UTC,
        scheduled: true,
        last_run: None,
        outcome: Outcome::Differences,
        complete: false,
        verdict: Verdict::Fail,
        exit_code: 1,
        flows: vec![flow("order-paid"), unread],
        differences: Vec::new(),
        differences_total: 14,
        problems: Vec::new(),
    }
}

fn alert(level: Verdict, state: AlertState, silenced: bool) -> Alert {
    let key = AlertKey { flow: "order-paid".to_owned(), consumer: None, metric: "missing".to_owned() };
    let reason = Silenced { reason: "known".to_owned(), until: AS_OF.plus(HOUR) };
    Alert {
        key,
        state,
        level,
        value: "3".to_owned(),
        bound: "1".to_owned(),
        since: AS_OF,
        held: 1,
        seen_at: AS_OF,
        seen_from: AS_OF,
        seen_until: AS_OF,
        told_at: None,
        told_level: None,
        told_ahead: 0,
        cleared_at: None,
        silenced: silenced.then_some(reason),
    }
}

pub fn vitals(exit_code: u8) -> Vitals {
    Vitals {
        finished_at: AS_OF.plus(12 * SECOND + 500_000),
        exit_code,
        duration: 12 * SECOND + 500_000,
        last_success: Some(AS_OF.plus(-HOUR)),
        stages: vec![("read", 9 * SECOND), ("record", 250_000)],
        alerts: Some(vec![
            alert(Verdict::Fail, AlertState::Firing, false),
            alert(Verdict::Fail, AlertState::Firing, true),
            alert(Verdict::Warn, AlertState::Pending, false),
        ]),
        undelivered: Some(2),
    }
}

/// Prometheus' own tool has nothing to say of it.
fn assert_checked(text: &str) {
    let Some(mut promtool) = tool("promtool") else { return };
    let pipes = promtool
        .args(["check", "metrics"])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    let mut child = pipes.spawn().unwrap();
    child.stdin.take().unwrap().write_all(text.as_bytes()).unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(output.status.success() && said(&output).is_empty(), "{}\n{text}", said(&output));
}

/// The value of one sample.
fn value<'a>(text: &'a str, sample: &str) -> Option<&'a str> {
    let mut found = text.lines().filter_map(|line| line.strip_prefix(sample)?.strip_prefix(' '));
    let first = found.next();
    assert_eq!(found.next(), None, "{sample} is there twice");
    first
}

#[test]
fn prometheus_reads_the_metrics_of_every_end() {
    for (run, code) in [(Some(run()), 1), (Some(run()), 3), (None, 2), (None, 75)] {
        let text = text(run.as_ref(), &vitals(code));
        assert!(text.ends_with('\n') && !text.contains("\n\n"), "{text}");
        assert_checked(&text);
        assert_eq!(text, msgrecon::notify::metrics::text(run.as_ref(), &vitals(code)));
    }
    insta::assert_snapshot!("metrics", text(Some(&run()), &vitals(1)));
}

#[test]
fn each_name_is_explained_once_and_its_samples_stand_together() {
    let text = text(Some(&run()), &vitals(0));
    let mut seen: Vec<&str> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let name = line.split(['{', ' ']).next().unwrap();
        assert!(name.starts_with("msgrecon_"), "{line}");
        if seen.last() != Some(&name) {
            assert!(!seen.contains(&name), "{name} stands in two places");
            assert_eq!(text.matches(&format!("# TYPE {name} gauge\n")).count(), 1);
            assert_eq!(text.matches(&format!("# HELP {name} ")).count(), 1);
            seen.push(name);
        }
    }
    assert!(seen.len() > 20, "{seen:?}");
}

#[test]
fn zeros_are_there_and_what_nobody_can_tell_is_not() {
    let text = text(Some(&run()), &vitals(1));
    let differences = |consumer: &str, kind: &str| {
        let sample =
            format!("msgrecon_differences{{flow=\"order-paid\",consumer=\"{consumer}\",kind=\"{kind}\"}}");
        value(&text, &sample).map(ToOwned::to_owned)
    };
    assert_eq!(differences("points", "missing").as_deref(), Some("3"));
    assert_eq!(differences("points", "ack_lost").as_deref(), Some("0"));
    assert_eq!(differences("-", "stuck").as_deref(), Some("2"));
    assert_eq!(differences("-", "publish_failed").as_deref(), Some("0"));
    assert_eq!(differences("points", "duplicate"), None, "not decidable is not 0");
    assert!(!text.contains("consumer=\"away\""), "a consumer that could not be read has no numbers");
    assert!(
        !text.contains("msgrecon_events{flow=\"unread\"") && !text.contains("backlog_rows{flow=\"unread\"")
    );
    assert_eq!(value(&text, "msgrecon_incomplete{flow=\"unread\"}"), Some("1"));
    assert_eq!(value(&text, "msgrecon_incomplete{flow=\"order-paid\"}"), Some("0"));
    // 4 late and 3 missing of 1,000; duplicates cannot be told, orphans were never acked.
    assert_eq!(
        value(&text, "msgrecon_difference_ratio{flow=\"order-paid\",consumer=\"points\"}"),
        Some("0.007")
    );
    assert_eq!(value(&text, "msgrecon_event_backlog_oldest_age_seconds{flow=\"order-paid\"}"), Some("5400"));
    assert_eq!(value(&text, "msgrecon_open_differences{flow=\"order-paid\"}"), Some("11"));
    let firing = |level: &str| value(&text, &format!("msgrecon_alerts_firing{{level=\"{level}\"}}"));
    assert_eq!((firing("fail"), firing("warn")), (Some("1"), Some("0")));
    assert_eq!(value(&text, "msgrecon_alerts_silenced"), Some("1"));
}

#[test]
fn what_the_ledger_did_not_say_is_left_out_and_never_0() {
    let text = text(None, &Vitals { alerts: None, undelivered: None, ..vitals(3) });
    for name in ["msgrecon_alerts_firing", "msgrecon_alerts_silenced", "msgrecon_notification_failures"] {
        assert!(!text.lines().any(|line| line.starts_with(name)), "{name}: {text}");
    }
}

#[test]
fn a_failed_job_keeps_the_last_success_and_one_that_found_differences_is_none() {
    let success = |code: u8| {
        let text = text(None, &vitals(code));
        assert_eq!(value(&text, "msgrecon_last_exit_code"), Some(code.to_string().as_str()));
        assert_eq!(value(&text, "msgrecon_last_completion_timestamp_seconds"), Some("1772517612.5"));
        value(&text, "msgrecon_last_success_timestamp_seconds").unwrap().to_owned()
    };
    for code in [0, 1] {
        assert!(succeeded(code));
        assert_eq!(success(code), "1772517612.5");
    }
    for code in [2, 3, 4, 75, 101] {
        assert!(!succeeded(code));
        assert_eq!(success(code), "1772514000");
    }
    let never = text(None, &Vitals { last_success: None, ..vitals(3) });
    assert!(!never.contains("last_success"), "never is not 1970: {never}");
}

#[test]
fn the_file_is_there_as_a_whole_and_for_everybody() {
    use std::os::unix::fs::PermissionsExt as _;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("msgrecon.prom");
    for content in ["a 1\n", "b 2\n"] {
        write(&path, content).unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
        assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o644);
    }
    assert_eq!(folder.path().read_dir().unwrap().count(), 1, "nothing else is left");
    let error = write(&folder.path().join("none/msgrecon.prom"), "a 1\n").unwrap_err();
    assert!(error.retry && error.message.contains("none/msgrecon.prom"), "{error}");
    std::fs::create_dir(folder.path().join("taken.prom")).unwrap();
    write(&folder.path().join("taken.prom"), "a 1\n").unwrap_err();
    assert_eq!(folder.path().read_dir().unwrap().count(), 2, "a temporary file is not left behind");
}
