//! Big tables: bounded memory, short transactions, nothing but reading.

use super::{AS_OF, DAY, config};
use crate::child;
use crate::world::{Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Story};
use sqlx::{Connection as _, Row as _};
use std::process::{Child, Stdio};
use std::time::Duration;

/// Of these, 100,000 are in the window, and 10 of their events have no receipt.
const FILL: [&str; 3] = [
    "INSERT INTO event (nr, topic, msg_id, sort, status, retry_count, created_at, sent_at)
     SELECT n, 'orders', 'm-' || n, 'paid', 'acked', 0, t, t
     FROM (SELECT n, timestamptz '2026-03-02T00:00:00Z' + n * interval '800 milliseconds' AS t
           FROM generate_series(1, 100000) AS n) AS made",
    "INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at)
     SELECT n, 'billing', 'm-' || n, timestamptz '2026-03-02T00:00:01Z' + n * interval '800 milliseconds'
     FROM generate_series(1, 100000) AS n WHERE n % 10000 <> 7",
    "INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at)
     SELECT n, 'billing', 'old-' || n, timestamptz '2026-02-01T00:00:00Z' + n * interval '1 second'
     FROM generate_series(200000, 300009) AS n",
];

/// What the server says of the tool's sessions.
#[derive(Debug)]
struct Session {
    application: String,
    state: String,
    query: String,
    writes: bool,
    seconds: f64,
}

async fn sessions(watcher: &mut sqlx::PgConnection) -> Vec<Session> {
    let query = "SELECT application_name, coalesce(state, ''), query, backend_xid IS NOT NULL,
                        coalesce(extract(epoch FROM clock_timestamp() - xact_start), 0)::float8
                 FROM pg_stat_activity
                 WHERE datname = current_database() AND pid <> pg_backend_pid() AND backend_type = 'client backend'";
    let rows = sqlx::query(query).fetch_all(watcher).await.unwrap();
    let session = |row: &sqlx::postgres::PgRow| Session {
        application: row.get(0),
        state: row.get(1),
        query: row.get(2),
        writes: row.get(3),
        seconds: row.get(4),
    };
    rows.iter().map(session).collect()
}

/// The process's peak memory in KiB; `None` once it is gone.
fn peak(child: &Child) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{}/status", child.id())).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    line.trim().strip_suffix(" kB")?.parse().ok()
}

fn check(session: &Session) {
    assert!(!session.writes, "a session that writes: {session:?}");
    assert!(!session.state.starts_with("idle in transaction"), "{session:?}");
    assert!(session.seconds < 5.0, "in a transaction for long: {session:?}");
    // Each statement begins with its name in a comment, but for those of the driver.
    let code = session.query.split_once("*/").map_or(session.query.as_str(), |(_, code)| code).to_uppercase();
    let word = code.split_whitespace().next().unwrap_or("SELECT");
    let reads = ["SELECT", "WITH", "SET", "SHOW", "DEALLOCATE", "EXPLAIN"].contains(&word);
    assert!(reads, "no reading statement: {session:?}");
    let locks = ["FOR UPDATE", "FOR SHARE", "LOCK TABLE"];
    assert!(locks.iter().all(|lock| !session.query.contains(lock)), "{session:?}");
}

#[tokio::test]
async fn d41_long_transactions_and_memory_on_big_tables() {
    let Some(place) = Place::new(Dialect::Postgres).await else { return };
    for half in [Half::Producer, Half::Consumer] {
        place.tell(&Story::default(), half, true).await;
    }
    place.execute(&FILL).await;
    place.execute(&["ANALYZE"]).await;
    let folder = tempfile::tempdir().unwrap();
    let flow = Flow { dead_letters: false, ..Flow::default() };
    let mut command = child::command(folder.path(), &config(&place, &flow.toml()));
    command.args(["run", "--date", DAY, "--as-of", AS_OF, "--format", "json"]);
    // A report of 24 windows and ten differences fits into the pipe.
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut watcher = sqlx::PgConnection::connect(&place.url).await.unwrap();
    let (mut memory, mut seen, mut reading) = (0, 0, 0);
    while child.try_wait().unwrap().is_none() {
        memory = memory.max(peak(&child).unwrap_or(0));
        for session in sessions(&mut watcher).await {
            check(&session);
            seen += usize::from(session.application == "msgrecon");
            reading += usize::from(session.application == "msgrecon" && session.state == "active");
        }
        tokio::time::sleep(Duration::from_millis(1)).await;
    }
    let output = child.wait_with_output().unwrap();
    assert_eq!(child::code(&output), 1, "{}", child::said(&output));
    let report = child::json(&output);
    let totals = &report["flows"][0]["consumers"][0]["totals"];
    assert_eq!(
        (&totals["acked"], &totals["missing"], &totals["ok"]),
        (&100_000.into(), &10.into(), &99_990.into())
    );
    assert_eq!((&report["total"], &report["run"]["complete"]), (&10.into(), &true.into()));
    eprintln!("peak memory {memory} KiB; sessions seen {seen} times, {reading} times at work");
    assert!(seen > 3 && reading > 0, "the sessions have a name: seen {seen}, active {reading}");
    assert!(memory > 0 && memory < 256 * 1_024, "peak memory {memory} KiB");
    watcher.close().await.unwrap();
    place.remove().await;
}
