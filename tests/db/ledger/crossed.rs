//! Transactions that another session crosses: the server takes one back, and it is made again.

use super::{Bench, Told};
use crate::world::Place;
use msgrecon::config::Dialect;
use sqlx::{Connection as _, Executor as _, MySqlConnection, PgConnection};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// So many messages are lost and found again, round after round.
const MESSAGES: usize = 400;
const ROUNDS: usize = 12;
const DAY: &str = "2026-03-02";

fn start(bench: &Bench, arguments: &str) -> Child {
    let mut command = bench.command(&format!("run --format json {arguments}"));
    command.env("RUST_LOG", "msgrecon::ledger=debug,info");
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn end(child: Child) -> Told {
    Told::new(child.wait_with_output().unwrap())
}

/// One that stands in the way of the run in a server's ledger.
enum Outsider {
    Postgres(PgConnection),
    Mysql(MySqlConnection),
}

impl Outsider {
    async fn new(place: &Place) -> Self {
        match place.dialect {
            Dialect::Postgres => Self::Postgres(PgConnection::connect(&place.url).await.unwrap()),
            _ => Self::Mysql(MySqlConnection::connect(&place.url).await.unwrap()),
        }
    }

    async fn execute(&mut self, statement: &'static str) {
        match self {
            Self::Postgres(link) => link.execute(statement).await.map(|_| ()).unwrap(),
            Self::Mysql(link) => link.execute(statement).await.map(|_| ()).unwrap(),
        }
    }

    /// Holds what the run wants to write, and is not the one whose work a server takes back: it has done more, or looks
    /// for a deadlock later.
    async fn stand_in_the_way(&mut self) {
        match self {
            Self::Postgres(_) => {
                self.execute("SET deadlock_timeout = '1min'").await;
                self.execute("BEGIN").await;
                self.execute("LOCK TABLE msgrecon_differences IN SHARE MODE").await;
            }
            Self::Mysql(_) => {
                self.execute("CREATE TABLE work (nr BIGINT PRIMARY KEY AUTO_INCREMENT, text CHAR(8))").await;
                self.execute("BEGIN").await;
                self.execute("INSERT INTO work (text) VALUES ('a'), ('b'), ('c'), ('d')").await;
                for _ in 0..12 {
                    self.execute("INSERT INTO work (text) SELECT text FROM work").await;
                }
                self.execute("SELECT flow FROM msgrecon_differences FOR UPDATE").await;
            }
        }
    }

    /// Whether the run waits for what the other holds.
    async fn waiting(bench: &Bench) -> bool {
        let waits = match bench.ledger.dialect {
            Dialect::Postgres => {
                "pg_stat_activity WHERE wait_event_type = 'Lock' AND datname = current_database()"
            }
            _ => {
                // What InnoDB says of its transactions is not renewed for one who asks often.
                "information_schema.processlist WHERE db = DATABASE() AND info LIKE 'INSERT INTO msgrecon_differences%'"
            }
        };
        bench.ask("COUNT(*)", waits).await != ["0"]
    }
}

#[tokio::test]
async fn a_transaction_that_the_server_took_back_is_made_again() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let Some(bench) = Bench::new(dialect, Dialect::Sqlite).await else { return };
        bench.due("2026-03-02T00:30:00Z").ended(0);
        bench.tell("day 2026-03-02\nevent a acked 10:00 10:00\nevent b acked 10:00 10:00").await;
        let mut outsider = Outsider::new(&bench.ledger).await;
        outsider.stand_in_the_way().await;
        let mut run = start(&bench, "--as-of 2026-03-03T00:30:00Z");
        let since = Instant::now();
        while !Outsider::waiting(&bench).await {
            let ended = run.try_wait().unwrap().is_some();
            assert!(!ended, "nothing stood in its way: {}", end(run).err());
            assert!(since.elapsed() < Duration::from_secs(30), "{dialect:?}: nobody waits");
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        // Each has now what the other wants.
        outsider.execute("UPDATE msgrecon_leases SET beat_at = beat_at").await;
        outsider.execute("ROLLBACK").await;
        let told = end(run).ended(1);
        assert!(told.err().contains("is made again"), "{dialect:?}: nothing was crossed: {}", told.err());
        assert_eq!(told.listed(), ["missing a new", "missing b new"]);
        assert_eq!(bench.differences(", times_seen").await, ["a|missing|open|1", "b|missing|open|1"]);
        assert_eq!(bench.counts().await, ["02T10:00 2 2 0"]);
        bench.remove().await;
    }
}

/// Events of both flows, and receipts of all of them at both, or of none.
async fn receipts(bench: &Bench, there: bool) {
    bench.sql("DELETE FROM consumed_message").await;
    if there {
        bench
            .sql(&format!(
                "INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at) SELECT nr, 'billing', msg_id, '{DAY} 10:01:00' FROM event"
            ))
            .await;
    }
}

#[tokio::test]
async fn two_runs_of_different_flows_never_keep_each_other_from_recording() {
    for dialect in [Dialect::Postgres, Dialect::Mysql] {
        let Some(mut bench) = Bench::new(dialect, Dialect::Sqlite).await else { return };
        let named =
            |name: &str| super::bench::usual().replace("name = \"orders\"", &format!("name = \"{name}\""));
        bench.flows = named("a") + &named("b");
        bench.due("2026-03-02T00:30:00Z").ended(0);
        let messages = (0..MESSAGES).map(|nr| format!("\nevent m{nr} acked 10:00 10:00"));
        bench.tell(&format!("day {DAY}{}", messages.collect::<String>())).await;
        let mut again = 0;
        for round in 0..ROUNDS {
            let lost = round % 2 == 0;
            receipts(&bench, !lost).await;
            let as_of = format!("--as-of 2026-03-03T{:02}:30:00Z", round + 1);
            let runs = ["a", "b"].map(|flow| start(&bench, &format!("{as_of} --flow {flow}")));
            for run in runs {
                let told = end(run).ended(i32::from(lost));
                assert!(!told.err().contains("not recorded"), "{}", told.err());
                again += told.err().matches("is made again").count();
            }
            let open = bench.ask(
                "flow, COUNT(*)",
                "msgrecon_differences WHERE state = 'open' GROUP BY flow ORDER BY flow",
            );
            let right =
                if lost { vec![format!("a|{MESSAGES}"), format!("b|{MESSAGES}")] } else { Vec::new() };
            assert_eq!(open.await, right, "round {round}");
        }
        eprintln!("{dialect:?}: {again} transactions were made again in {ROUNDS} rounds");
        bench.remove().await;
    }
}
