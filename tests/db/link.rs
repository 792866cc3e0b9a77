//! `strategy = "auto"`: what the link carries decides how a flow is read.

use crate::child;
use crate::net::{Mischief, Relay, at_port, host_and_port};
use crate::world::{Flow, Place};
use msgrecon::config::Dialect;
use serde_json::Value;
use std::process::Output;

/// More than are ever streamed over a slow link.
const MESSAGES: u32 = 216_000;
/// 10 Mbit/s.
const SLOW: u64 = 1_250_000;

/// A day's messages, five in two seconds; one has no receipt.
async fn filled() -> Option<(Place, Place)> {
    let (producer, consumer) = (Place::new(Dialect::Postgres).await?, Place::new(Dialect::Mysql).await?);
    producer
        .execute(&[
            "CREATE TABLE event (topic text, msg_id text PRIMARY KEY, status text, created_at timestamptz, sent_at timestamptz, retry_count int)",
            &format!(
                "INSERT INTO event SELECT 'orders', 'm' || n, 'acked', t, t, 0 FROM (SELECT n, \
                 timestamptz '2026-03-02T00:00:00Z' + n * interval '400 milliseconds' AS t FROM generate_series(0, {MESSAGES} - 1) AS n) AS m"
            ),
            "CREATE INDEX event_sent_at ON event (sent_at)",
            "CREATE INDEX event_created_at ON event (created_at)",
            "ANALYZE event",
        ])
        .await;
    let digits = (0..10).map(|n| format!("({n})")).collect::<Vec<_>>().join(", ");
    consumer
        .execute(&[
            "CREATE TABLE digit (n INT PRIMARY KEY)",
            &format!("INSERT INTO digit VALUES {digits}"),
            "CREATE TABLE consumed_message (consumer VARCHAR(20) NOT NULL, msg_id VARCHAR(20) NOT NULL, \
             consumed_at DATETIME(6) NOT NULL, PRIMARY KEY (consumer, msg_id), KEY consumed_at (consumed_at))",
            &format!(
                "INSERT INTO consumed_message SELECT 'billing', CONCAT('m', n), TIMESTAMP('2026-03-02 00:00:01') + INTERVAL n * 400000 MICROSECOND \
                 FROM (SELECT a.n + 10 * b.n + 100 * c.n + 1000 * d.n + 10000 * e.n + 100000 * f.n AS n FROM digit a, digit b, digit c, \
                 digit d, digit e, digit f) AS m WHERE n < {MESSAGES} AND n <> 4711"
            ),
            "ANALYZE TABLE consumed_message",
        ])
        .await;
    Some((producer, consumer))
}

/// Two flows over the same tables; each database behind its own relay.
fn config(producer: &str, consumer: &str, rules: &str) -> String {
    let flow = Flow { dead_letters: false, rules: rules.to_owned(), ..Flow::default() }.toml();
    let flow = flow.replace("original_id = \"original_id\"\n", "");
    let other = flow.replace("name = \"orders\"", "name = \"again\"");
    let database =
        |name: &str, url: &str| format!("[databases.{name}]\nurl = '{url}'\ntime_zone = \"UTC\"\n");
    format!("{}{}{flow}{other}", database("p", producer), database("c", consumer))
}

fn run(config: &str, arguments: &str) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let mut command = child::command(folder.path(), config);
    command.env("RUST_LOG", "info").args([
        "run",
        "--no-record",
        "--as-of",
        "2026-03-03T06:00:00Z",
        "--format",
        "json",
    ]);
    command.args(arguments.split_whitespace()).output().unwrap()
}

/// How the consumer of each flow was read, and the hints that say why.
fn told(report: &Value) -> Vec<(String, Vec<String>)> {
    let flows = report["flows"].as_array().unwrap().iter().map(|flow| {
        let hints = flow["hints"].as_array().unwrap().iter().map(|hint| hint.as_str().unwrap().to_owned());
        let strategy = flow["consumers"][0]["strategy"].as_str().unwrap().to_owned();
        (strategy, hints.filter(|hint| hint.contains("`auto`")).collect())
    });
    flows.collect()
}

fn missing(report: &Value) -> Vec<u64> {
    let flows = report["flows"].as_array().unwrap().iter();
    flows.map(|flow| flow["consumers"][0]["totals"]["missing"].as_u64().unwrap()).collect()
}

fn measured(output: &Output) -> usize {
    child::err(output).matches("link measured").count()
}

#[tokio::test]
async fn a_slow_link_is_measured_once_and_spared_and_a_quiet_hour_is_not_measured() {
    let Some((producer, consumer)) = filled().await else { return };
    let slow = |place: &Place| {
        let mischief = Mischief { rate: Some(SLOW), ..Mischief::default() };
        at_port(&place.url, Relay::new(host_and_port(&place.url), mischief).port)
    };
    let rules = "window = \"1h\"\ngrace = \"15m\"\nlate_after = \"60m\"\n";
    let slow = config(&slow(&producer), &slow(&consumer), rules);
    let day = run(&slow, "--date 2026-03-02");
    let report = child::json(&day);
    assert_eq!(missing(&report), [1, 1], "{}", child::said(&day));
    for (strategy, hints) in told(&report) {
        assert_eq!(strategy, "sketch", "{}", child::err(&day));
        assert!(
            hints[0].starts_with("`auto` took strategy `sketch`: the slowest link to the sources carries ")
        );
        assert!(hints[0].ends_with(" Mbit/s") && hints.len() == 1, "{hints:?}");
    }
    let late = &report["flows"][0]["consumers"][0]["not_decidable"];
    assert!(late.as_array().unwrap().contains(&"late".into()), "what sums do not show is said: {late}");
    child::err(&day)
        .lines()
        .filter(|line| line.contains("link measured"))
        .for_each(|line| eprintln!("{line}"));
    assert_eq!(measured(&day), 2, "once for each database: {}", child::err(&day));

    let hour = run(&slow, "--from 2026-03-02T10:00:00Z --until 2026-03-02T11:00:00Z");
    assert_eq!(
        (told(&child::json(&hour))[0].clone(), measured(&hour)),
        (("stream".to_owned(), Vec::new()), 0)
    );

    // Bounds of latencies want latencies.
    let bound =
        slow.replace("[flows.events]", "[flows.thresholds]\nlatency_p99 = { fail = \"5m\" }\n[flows.events]");
    let bound = told(&child::json(&run(&bound, "--date 2026-03-02 --flow orders")));
    assert_ne!(bound[0].0, "sketch");

    let fast = run(&config(&producer.url, &consumer.url, rules), "--date 2026-03-02");
    child::err(&fast)
        .lines()
        .filter(|line| line.contains("link measured"))
        .for_each(|line| eprintln!("{line}"));
    let report = child::json(&fast);
    assert_eq!((missing(&report), measured(&fast)), (vec![1, 1], 2), "{}", child::said(&fast));
    assert!(told(&report).iter().all(|(strategy, _)| strategy != "sketch"), "{}", child::err(&fast));
    producer.remove().await;
    consumer.remove().await;
}
