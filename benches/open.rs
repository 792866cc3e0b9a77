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

mod common;

use common::measure::watch;
use common::place::Place;
use common::{Servers, mysql_numbers};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Each run must keep below this, in KiB.
const MEMORY_MAX_KIB: u64 = 256 * 1024;

fn main() {
    let count: u64 = std::env::args().find_map(|word| word.parse().ok()).unwrap_or(1_000_000);
    let Some(servers) = Servers::find("open") else { return };
    for ledger in ["sqlite", "postgres"] {
        let names = Names::new(&servers, ledger);
        println!("\nbuilding {count} events without a receipt; ledger on {ledger} …");
        names.build(count);
        let folder = tempfile::tempdir().unwrap();
        std::fs::write(folder.path().join("msgrecon.toml"), names.config(ledger)).unwrap();
        let found = run(folder.path(), "2026-03-03T06:00:00Z");
        told("found and recorded", count, &found);
        assert_eq!(found.life("new"), count, "all are found");
        let again = run(folder.path(), "2026-03-07T06:00:00Z");
        told("looked up again, nothing changed", count, &again);
        assert_eq!(again.life("still_open"), count, "all are still open");
        names.consume_half(count);
        let healed = run(folder.path(), "2026-03-08T06:00:00Z");
        told("looked up again, half of them consumed", count, &healed);
        assert_eq!((healed.life("resolved"), healed.life("still_open")), (count / 2, count - count / 2));
        names.remove();
    }
    println!("result: right; memory within its bound of {} MiB", MEMORY_MAX_KIB / 1024);
}

struct Names {
    servers: Servers,
    producer: Place,
    consumer: Place,
    ledger: Place,
}

impl Names {
    fn new(servers: &Servers, ledger: &str) -> Self {
        let name = format!("msgrecon_open_{}_{ledger}", std::process::id());
        Self {
            producer: servers.postgres.database(&name),
            consumer: servers.mysql.database(&name),
            ledger: servers.postgres.database(&format!("{name}_l")),
            servers: servers.clone(),
        }
    }

    fn build(&self, count: u64) {
        self.producer.create(&self.servers.postgres);
        self.ledger.create(&self.servers.postgres);
        self.consumer.create(&self.servers.mysql);
        let at = format!("'2026-03-02T00:00:00Z'::timestamptz + interval '1 day' * (i / {count}.0)");
        self.producer.execute(&[
            "CREATE TABLE event (msg_id TEXT PRIMARY KEY, created_at TIMESTAMPTZ NOT NULL, sent_at TIMESTAMPTZ)".to_owned(),
            format!("INSERT INTO event SELECT 'm' || lpad(i::text, 9, '0'), {at}, {at} FROM generate_series(0, {count} - 1) i"),
            "CREATE INDEX ON event (sent_at)".to_owned(),
            "CREATE INDEX ON event (created_at)".to_owned(),
            "ANALYZE event".to_owned(),
        ]);
        self.consumer.execute(&[
            "CREATE TABLE consumed_message (msg_id VARCHAR(40) CHARACTER SET ascii COLLATE ascii_bin NOT NULL PRIMARY KEY, \
             consumed_at DATETIME(6) NOT NULL, KEY (consumed_at))",
        ]);
    }

    fn consume_half(&self, count: u64) {
        self.consumer.execute(&[format!(
            "INSERT INTO consumed_message SELECT CONCAT('m', LPAD(i, 9, '0')), '2026-03-07 12:00:00' FROM {} WHERE i % 2 = 1",
            mysql_numbers(count)
        )]);
    }

    fn config(&self, ledger: &str) -> String {
        let ledger = if ledger == "sqlite" {
            String::new()
        } else {
            format!("[ledger]\nurl = '{}'\n", self.ledger.url())
        };
        format!(
            "{ledger}[databases.p]\nurl = '{}'\ntime_zone = \"UTC\"\n[databases.c]\nurl = '{}'\ntime_zone = \"UTC\"\n\
             [[flows]]\nname = \"day\"\nstart = \"2026-03-02T00:00:00Z\"\n[flows.events]\ndatabase = \"p\"\ntable = \"event\"\n\
             id = \"msg_id\"\ncreated_at = \"created_at\"\nacked_at = \"sent_at\"\n\
             [[flows.consumers]]\nname = \"points\"\ndatabase = \"c\"\ntable = \"consumed_message\"\nid = \"msg_id\"\n\
             consumed_at = \"consumed_at\"\n",
            self.producer.url(),
            self.consumer.url()
        )
    }

    fn remove(&self) {
        self.producer.drop(&self.servers.postgres);
        self.ledger.drop(&self.servers.postgres);
        self.consumer.drop(&self.servers.mysql);
    }
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
    let (status, memory_kib) = watch(&mut child);
    assert_eq!(status.code(), Some(1), "messages are missing, so the run exits 1");
    let took = start.elapsed();
    let text = std::fs::read_to_string(folder.join("reports/report.json")).unwrap();
    Round { took, memory_kib, report: serde_json::from_str(&text).unwrap() }
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
