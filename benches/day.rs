//! A day of events on PostgreSQL, its receipts on MySQL/MariaDB: how fast `msgrecon run` reconciles them, in how much
//! memory, and what that is in proportion to the servers' own clients reading the same ids to nowhere.
//!
//! ```sh
//! tests/run --with cargo bench --bench day              # 1,000,000 events
//! tests/run --with cargo bench --bench day -- 200000
//! ```
//!
//! Times are of a machine that others may share, so only the ratio, taken in one run, says something; memory is held to
//! its bound.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "a benchmark prints, and fails by panicking"
)]

use sqlx::{AssertSqlSafe, Connection as _, Executor as _};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// The run must keep below this, in KiB.
const MEMORY_MAX_KIB: u64 = 256 * 1024;
const ROUNDS: usize = 5;
const MISSING: u64 = 137;
const ORPHANS: u64 = 41;

fn main() {
    let events: u64 = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let (Ok(postgres), Ok(mysql)) =
        (std::env::var("MSGRECON_TEST_POSTGRES_URL"), std::env::var("MSGRECON_TEST_MYSQL_URL"))
    else {
        println!("no servers: run it as `tests/run --with cargo bench --bench day`");
        return;
    };
    let sources = Sources { producer: database(&postgres), consumer: database(&mysql) };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    println!("building {events} events and their receipts …");
    runtime.block_on(sources.build(&postgres, &mysql, events));
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("msgrecon.toml"), sources.config()).unwrap();
    let mut rounds: Vec<Round> = (0..ROUNDS).map(|_| round(folder.path(), &sources)).collect();
    check(folder.path(), events);
    runtime.block_on(sources.remove(&postgres, &mysql));
    report(&mut rounds, events);
}

struct Sources {
    producer: String,
    consumer: String,
}

struct Round {
    clients: Duration,
    msgrecon: Duration,
    memory_kib: u64,
}

/// The URL of a database of our own on the same server.
fn database(server: &str) -> String {
    let (account, _) = server.rsplit_once('/').unwrap();
    format!("{account}/msgrecon_bench_{}", std::process::id())
}

fn name(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

impl Sources {
    async fn build(&self, postgres: &str, mysql: &str, events: u64) {
        let name = name(&self.producer);
        let mut server = sqlx::PgConnection::connect(postgres).await.unwrap();
        server.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
        let mut server = sqlx::MySqlConnection::connect(mysql).await.unwrap();
        server.execute(AssertSqlSafe(format!("CREATE DATABASE {name}"))).await.unwrap();
        let mut producer = sqlx::PgConnection::connect(&self.producer).await.unwrap();
        for statement in producer_sql(events) {
            producer.execute(AssertSqlSafe(statement)).await.unwrap();
        }
        let mut consumer = sqlx::MySqlConnection::connect(&self.consumer).await.unwrap();
        for statement in consumer_sql(events) {
            consumer.execute(AssertSqlSafe(statement)).await.unwrap();
        }
    }

    fn config(&self) -> String {
        format!(
            "[databases.p]\nurl = '{}'\ntime_zone = \"UTC\"\n[databases.c]\nurl = '{}'\ntime_zone = \"UTC\"\n\
             [[flows]]\nname = \"day\"\nlate_after = \"1m\"\n[flows.events]\ndatabase = \"p\"\ntable = \"event\"\nid = \"msg_id\"\n\
             created_at = \"created_at\"\nacked_at = \"sent_at\"\nacked = \"status = 1\"\npending = \"status = 0\"\n\
             [[flows.consumers]]\nname = \"points\"\ndatabase = \"c\"\ntable = \"consumed_message\"\nconsumer = \"consumer\"\n\
             id = \"msg_id\"\nconsumed_at = \"consumed_at\"\n",
            self.producer, self.consumer
        )
    }

    async fn remove(&self, postgres: &str, mysql: &str) {
        let name = name(&self.producer);
        let mut server = sqlx::PgConnection::connect(postgres).await.unwrap();
        server.execute(AssertSqlSafe(format!("DROP DATABASE {name} WITH (FORCE)"))).await.unwrap();
        let mut server = sqlx::MySqlConnection::connect(mysql).await.unwrap();
        server.execute(AssertSqlSafe(format!("DROP DATABASE {name}"))).await.unwrap();
    }
}

/// Ids are UUIDs made of the number's MD5, so that both servers can make the same ones by themselves.
fn producer_sql(events: u64) -> Vec<String> {
    let step = format!("interval '1 day' * (i / {events}.0)");
    vec![
        "CREATE TABLE event (msg_id TEXT PRIMARY KEY, status SMALLINT NOT NULL, created_at TIMESTAMPTZ NOT NULL, sent_at TIMESTAMPTZ)".to_owned(),
        format!(
            "INSERT INTO event SELECT md5(i::text)::uuid::text, 1, '2026-03-02T00:00:00Z'::timestamptz + {step}, \
             '2026-03-02T00:00:00Z'::timestamptz + {step} FROM generate_series(0, {events} - 1) i"
        ),
        "CREATE INDEX ON event (sent_at)".to_owned(),
        "CREATE INDEX ON event (created_at)".to_owned(),
        "ANALYZE event".to_owned(),
    ]
}

fn consumer_sql(events: u64) -> Vec<String> {
    let lost = (events / MISSING).max(1);
    let uuid = "CONCAT_WS('-', SUBSTR(MD5(n), 1, 8), SUBSTR(MD5(n), 9, 4), SUBSTR(MD5(n), 13, 4), SUBSTR(MD5(n), 17, 4), SUBSTR(MD5(n), 21))";
    let numbers = format!(
        "WITH RECURSIVE digit AS (SELECT 0 AS d UNION ALL SELECT d + 1 FROM digit WHERE d < 9), thousand AS \
         (SELECT a.d * 100 + b.d * 10 + c.d AS t FROM digit a, digit b, digit c) \
         SELECT x.t * 1000000 + y.t * 1000 + z.t AS n FROM thousand x, thousand y, thousand z \
         WHERE x.t <= {last} DIV 1000000 AND x.t * 1000 + y.t <= {last} DIV 1000 AND x.t * 1000000 + y.t * 1000 + z.t <= {last}",
        last = events + ORPHANS - 1
    );
    vec![
        "CREATE TABLE consumed_message (consumer VARCHAR(40) NOT NULL, msg_id VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL, \
         consumed_at DATETIME(6) NOT NULL, PRIMARY KEY (consumer, msg_id))"
            .to_owned(),
        format!(
            "INSERT INTO consumed_message SELECT 'points', {uuid}, TIMESTAMPADD(MICROSECOND, 300000 + FLOOR(LEAST(n, {events} - 10) * (86400000000 / {events})), \
             '2026-03-02 00:00:00') FROM ({numbers}) numbers WHERE n >= {events} OR n % {lost} <> 0 OR n DIV {lost} >= {MISSING}"
        ),
        "CREATE INDEX consumed_at ON consumed_message (consumed_at)".to_owned(),
        "ANALYZE TABLE consumed_message".to_owned(),
    ]
}

fn round(folder: &Path, sources: &Sources) -> Round {
    let start = Instant::now();
    let mut clients = [psql(&sources.producer), mariadb(&sources.consumer)];
    for client in &mut clients {
        assert!(client.wait().unwrap().success(), "a client failed");
    }
    let clients = start.elapsed();
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_msgrecon"))
        .current_dir(folder)
        .args([
            "run",
            "--date",
            "2026-03-02",
            "--as-of",
            "2026-03-03T06:00:00Z",
            "--output",
            "reports",
            "--quiet",
        ])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let memory_kib = watch(&mut child);
    Round { clients, msgrecon: start.elapsed(), memory_kib }
}

/// Waits for the child; gives the highest resident memory that was seen of it.
fn watch(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        highest =
            highest.max(peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(1), "messages are missing, so the run exits 1");
            return highest;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

fn psql(url: &str) -> Child {
    let sql = "COPY (SELECT msg_id FROM event WHERE sent_at >= '2026-03-02T00:00:00Z' AND sent_at < '2026-03-03T00:00:00Z') TO STDOUT";
    Command::new("psql")
        .args(["-X", "-q", "-c", sql, url])
        .stdout(Stdio::null())
        .spawn()
        .expect("psql is installed")
}

fn mariadb(url: &str) -> Child {
    let rest = url.split_once("://").unwrap().1;
    let (account, place) = rest.rsplit_once('@').unwrap();
    let (user, password) = account.split_once(':').unwrap();
    let (server, database) = place.split_once('/').unwrap();
    let (host, port) = server.split_once(':').unwrap();
    let sql = "SELECT msg_id FROM consumed_message WHERE consumer = 'points' AND consumed_at >= '2026-03-02' AND consumed_at < '2026-03-03'";
    Command::new("mariadb")
        .args(["--no-defaults", "-h", host, "-P", port, "-u", user, "-B", "--quick", "-e", sql, database])
        .env("MYSQL_PWD", password)
        .stdout(Stdio::null())
        .spawn()
        .expect("the mariadb client is installed")
}

/// The last round's report is right.
fn check(folder: &Path, events: u64) {
    let text = std::fs::read_to_string(folder.join("reports/report.json")).unwrap();
    let report: serde_json::Value = serde_json::from_str(&text).unwrap();
    let totals = &report["flows"][0]["consumers"][0]["totals"];
    let found = |key: &str| totals[key].as_u64().unwrap();
    assert_eq!((found("acked"), found("missing"), found("orphan")), (events, MISSING, ORPHANS), "{totals}");
    assert_eq!((found("ok"), totals["residual"].as_i64()), (events - MISSING, Some(0)), "{totals}");
    assert!(report["run"]["complete"].as_bool().unwrap(), "{}", report["problems"]);
}

fn median<T: Copy + Ord>(values: impl Iterator<Item = T>) -> T {
    let mut values: Vec<T> = values.collect();
    values.sort();
    values[values.len() / 2]
}

#[expect(clippy::cast_precision_loss, reason = "figures for a person")]
fn report(rounds: &mut [Round], events: u64) {
    let clients = median(rounds.iter().map(|round| round.clients));
    let ours = median(rounds.iter().map(|round| round.msgrecon));
    let memory = rounds.iter().map(|round| round.memory_kib).max().unwrap();
    let ratio =
        median(rounds.iter().map(|round| round.msgrecon.as_micros() * 1000 / round.clients.as_micros()));
    let rows = 2 * events - MISSING + ORPHANS;
    println!(
        "\n{events} events (PostgreSQL) and their receipts (MariaDB), medians of {ROUNDS} rounds in one run"
    );
    println!(
        "the two servers' own clients, in parallel, ids to /dev/null   {:>8.2} s",
        clients.as_secs_f64()
    );
    println!("msgrecon run, everything decided, four reports written        {:>8.2} s", ours.as_secs_f64());
    println!("ratio                                                         {:>8.2}", ratio as f64 / 1000.0);
    println!(
        "rows of both sides per second                                 {:>8.0}",
        rows as f64 / ours.as_secs_f64()
    );
    println!(
        "peak memory                                                   {:>8.1} MiB",
        memory as f64 / 1024.0
    );
    assert!(memory < MEMORY_MAX_KIB, "peak memory {memory} KiB is over the bound of {MEMORY_MAX_KIB} KiB");
    println!(
        "result: right (missing {MISSING}, orphan {ORPHANS}, the books balance); memory within its bound"
    );
}
