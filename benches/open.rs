//! A million messages that are missing: how fast a scheduled run records them, looks each of them up again days later, and
//! closes those that were consumed meanwhile, in how much memory. Events on PostgreSQL, receipts on MySQL/MariaDB, the
//! ledger on SQLite and then on PostgreSQL.
//!
//! ```sh
//! tests/run --with cargo bench --bench open             # 1,000,000 differences
//! tests/run --with cargo bench --bench open -- 100000
//! ```
//!
//! Times are of a machine that others may share; memory is held to its bound, and the counts must be right.
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

/// Each run must keep below this, in KiB.
const MEMORY_MAX_KIB: u64 = 256 * 1024;

fn main() {
    let count: u64 = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let (Ok(postgres), Ok(mysql)) =
        (std::env::var("MSGRECON_TEST_POSTGRES_URL"), std::env::var("MSGRECON_TEST_MYSQL_URL"))
    else {
        println!("no servers: run it as `tests/run --with cargo bench --bench open`");
        return;
    };
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    for ledger in ["sqlite", "postgres"] {
        let names = Names::new(&postgres, &mysql, ledger);
        println!("\nbuilding {count} events without a receipt; ledger on {ledger} …");
        runtime.block_on(names.build(count));
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("msgrecon.toml"), names.config(ledger)).unwrap();
        let found = run(folder.path(), "2026-03-03T06:00:00Z");
        told("found and recorded", count, &found);
        assert_eq!(found.life("new"), count, "all are found");
        let again = run(folder.path(), "2026-03-07T06:00:00Z");
        told("looked up again, nothing changed", count, &again);
        assert_eq!(again.life("still_open"), count, "all are still open");
        runtime.block_on(names.consume_half(count));
        let healed = run(folder.path(), "2026-03-08T06:00:00Z");
        told("looked up again, half of them consumed", count, &healed);
        assert_eq!((healed.life("resolved"), healed.life("still_open")), (count / 2, count - count / 2));
        runtime.block_on(names.remove());
    }
    println!("result: right; memory within its bound of {} MiB", MEMORY_MAX_KIB / 1024);
}

struct Names {
    postgres: String,
    mysql: String,
    producer: String,
    consumer: String,
    ledger: String,
}

impl Names {
    fn new(postgres: &str, mysql: &str, ledger: &str) -> Self {
        let name = format!("msgrecon_open_{}_{ledger}", std::process::id());
        let of = |server: &str, end: &str| {
            let (account, _) = server.rsplit_once('/').unwrap();
            format!("{account}/{name}{end}")
        };
        Self {
            postgres: postgres.to_owned(),
            mysql: mysql.to_owned(),
            producer: of(postgres, ""),
            consumer: of(mysql, ""),
            ledger: of(postgres, "_l"),
        }
    }

    async fn build(&self, count: u64) {
        let mut server = sqlx::PgConnection::connect(&self.postgres).await.unwrap();
        for url in [&self.producer, &self.ledger] {
            server.execute(AssertSqlSafe(format!("CREATE DATABASE {}", name(url)))).await.unwrap();
        }
        let mut server = sqlx::MySqlConnection::connect(&self.mysql).await.unwrap();
        server.execute(AssertSqlSafe(format!("CREATE DATABASE {}", name(&self.consumer)))).await.unwrap();
        let mut producer = sqlx::PgConnection::connect(&self.producer).await.unwrap();
        let at = format!("'2026-03-02T00:00:00Z'::timestamptz + interval '1 day' * (i / {count}.0)");
        for statement in [
            "CREATE TABLE event (msg_id TEXT PRIMARY KEY, created_at TIMESTAMPTZ NOT NULL, sent_at TIMESTAMPTZ)".to_owned(),
            format!("INSERT INTO event SELECT 'm' || lpad(i::text, 9, '0'), {at}, {at} FROM generate_series(0, {count} - 1) i"),
            "CREATE INDEX ON event (sent_at)".to_owned(),
            "CREATE INDEX ON event (created_at)".to_owned(),
            "ANALYZE event".to_owned(),
        ] {
            producer.execute(AssertSqlSafe(statement)).await.unwrap();
        }
        let mut consumer = sqlx::MySqlConnection::connect(&self.consumer).await.unwrap();
        let table = "CREATE TABLE consumed_message (msg_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, \
                     consumed_at DATETIME(6) NOT NULL, KEY (consumed_at))";
        consumer.execute(table).await.unwrap();
    }

    async fn consume_half(&self, count: u64) {
        let mut consumer = sqlx::MySqlConnection::connect(&self.consumer).await.unwrap();
        let last = count - 1;
        let numbers = format!(
            "WITH RECURSIVE digit AS (SELECT 0 AS d UNION ALL SELECT d + 1 FROM digit WHERE d < 9), thousand AS \
             (SELECT a.d * 100 + b.d * 10 + c.d AS t FROM digit a, digit b, digit c) \
             SELECT x.t * 1000000 + y.t * 1000 + z.t AS n FROM thousand x, thousand y, thousand z \
             WHERE x.t <= {last} DIV 1000000 AND x.t * 1000 + y.t <= {last} DIV 1000 AND x.t * 1000000 + y.t * 1000 + z.t <= {last}"
        );
        let insert = format!(
            "INSERT INTO consumed_message SELECT CONCAT('m', LPAD(n, 9, '0')), '2026-03-07 12:00:00' FROM ({numbers}) numbers WHERE n % 2 = 1"
        );
        consumer.execute(AssertSqlSafe(insert)).await.unwrap();
    }

    fn config(&self, ledger: &str) -> String {
        let ledger =
            if ledger == "sqlite" { String::new() } else { format!("[ledger]\nurl = '{}'\n", self.ledger) };
        format!(
            "{ledger}[databases.p]\nurl = '{}'\ntime_zone = \"UTC\"\n[databases.c]\nurl = '{}'\ntime_zone = \"UTC\"\n\
             [[flows]]\nname = \"day\"\nstart = \"2026-03-02T00:00:00Z\"\n[flows.events]\ndatabase = \"p\"\ntable = \"event\"\n\
             id = \"msg_id\"\ncreated_at = \"created_at\"\nacked_at = \"sent_at\"\n\
             [[flows.consumers]]\nname = \"points\"\ndatabase = \"c\"\ntable = \"consumed_message\"\nid = \"msg_id\"\n\
             consumed_at = \"consumed_at\"\n",
            self.producer, self.consumer
        )
    }

    async fn remove(&self) {
        let mut server = sqlx::PgConnection::connect(&self.postgres).await.unwrap();
        for url in [&self.producer, &self.ledger] {
            server.execute(AssertSqlSafe(format!("DROP DATABASE {} WITH (FORCE)", name(url)))).await.unwrap();
        }
        let mut server = sqlx::MySqlConnection::connect(&self.mysql).await.unwrap();
        server.execute(AssertSqlSafe(format!("DROP DATABASE {}", name(&self.consumer)))).await.unwrap();
    }
}

fn name(url: &str) -> &str {
    url.rsplit('/').next().unwrap()
}

struct Round {
    took: Duration,
    memory_kib: u64,
    report: serde_json::Value,
}

impl Round {
    fn life(&self, key: &str) -> u64 {
        self.report["flows"][0]["life"][key].as_u64().unwrap_or_else(|| panic!("{}", self.report["problems"]))
    }
}

fn run(folder: &Path, as_of: &str) -> Round {
    let start = Instant::now();
    let mut child = Command::new(env!("CARGO_BIN_EXE_msgrecon"))
        .current_dir(folder)
        .args(["run", "--as-of", as_of, "--output", "reports", "--quiet"])
        .stdout(Stdio::null())
        .spawn()
        .unwrap();
    let memory_kib = watch(&mut child);
    let took = start.elapsed();
    let text = std::fs::read_to_string(folder.join("reports/report.json")).unwrap();
    Round { took, memory_kib, report: serde_json::from_str(&text).unwrap() }
}

/// Waits for the child; gives the highest resident memory that was seen of it.
fn watch(child: &mut Child) -> u64 {
    let status = format!("/proc/{}/status", child.id());
    let mut highest = 0;
    loop {
        let text = std::fs::read_to_string(&status).unwrap_or_default();
        let peak = text.lines().find_map(|line| line.strip_prefix("VmHWM:"));
        let peak = peak.and_then(|peak| peak.trim().trim_end_matches(" kB").parse().ok());
        highest = highest.max(peak.unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            assert_eq!(status.code(), Some(1), "messages are missing, so the run exits 1");
            return highest;
        }
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[expect(clippy::cast_precision_loss, reason = "figures for a person")]
fn told(what: &str, count: u64, round: &Round) {
    println!(
        "{what:<40} {:>8.1} s  {:>9.0} a second  peak {:>6.1} MiB",
        round.took.as_secs_f64(),
        count as f64 / round.took.as_secs_f64(),
        round.memory_kib as f64 / 1024.0
    );
    assert!(round.memory_kib < MEMORY_MAX_KIB, "over the bound of {MEMORY_MAX_KIB} KiB");
}
