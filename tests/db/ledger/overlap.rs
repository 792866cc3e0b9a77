//! D43: two runs at the same time, runs that die, runs that are taken over. The source is held locked meanwhile.

use super::{Bench, Told, everywhere};
use crate::child;
use sqlx::{Connection as _, Executor as _, SqliteConnection};
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// The first run of a test, which makes the ledger, and the one that it is about.
const BEFORE: &str = "2026-03-02T00:30:00Z";
const NOW: &str = "--as-of 2026-03-03T00:30:00Z";
const AT_ONCE: Duration = Duration::from_secs(3);

/// A source that nobody can read until it is let go.
struct Locked(SqliteConnection);

impl Locked {
    async fn new(bench: &Bench) -> Self {
        let mut connection = SqliteConnection::connect(&bench.sources.url).await.unwrap();
        connection.execute("BEGIN EXCLUSIVE").await.unwrap();
        Self(connection)
    }

    async fn let_go(mut self) {
        self.0.execute("ROLLBACK").await.unwrap();
        self.0.close().await.unwrap();
    }
}

/// A message that is lost, and a ledger that knows the day before.
async fn prepared(bench: &Bench) {
    bench.due(BEFORE).ended(0);
    bench.tell("day 2026-03-02\nevent a acked 10:00 10:00").await;
}

fn start(bench: &Bench, arguments: &str) -> Child {
    let mut command = bench.command(&format!("run --format json {NOW} {arguments}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn end(child: Child) -> Told {
    Told::new(child.wait_with_output().unwrap())
}

/// Waits until as many flows are held, and their runs wait for the source.
async fn held(bench: &Bench, flows: usize) {
    let start = Instant::now();
    while bench.ask("flow", "msgrecon_leases WHERE holder IS NOT NULL").await.len() < flows
        || bench.ask("run", "msgrecon_runs WHERE state = 'running'").await.len() < flows
    {
        assert!(start.elapsed() < Duration::from_secs(20), "nobody takes the lease");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

/// The one of two that ends while the source is locked, and the other.
async fn first_to_end(mut one: Child, mut other: Child) -> (Child, Child) {
    let start = Instant::now();
    loop {
        if one.try_wait().unwrap().is_some() {
            return (one, other);
        }
        if other.try_wait().unwrap().is_some() {
            return (other, one);
        }
        assert!(start.elapsed() < AT_ONCE, "both wait");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

#[tokio::test]
async fn d43_of_two_runs_one_works_and_the_other_touches_nothing() {
    everywhere(async |bench| {
        prepared(bench).await;
        let (before, runs) = (bench.dump().await, bench.ask("run", "msgrecon_runs").await.len());
        let locked = Locked::new(bench).await;
        let one = start(bench, "--output out");
        tokio::time::sleep(Duration::from_millis(80)).await;
        let other = start(bench, "--output out");
        let (ended, working) = first_to_end(one, other).await;
        let ended = end(ended).ended(75);
        assert!(
            child::out(&ended.output).is_empty() && ended.err().contains("another run"),
            "{}",
            ended.err()
        );
        held(bench, 1).await;
        assert_eq!(bench.dump().await, before);
        assert_eq!(bench.ask("run", "msgrecon_runs").await.len(), runs + 1, "of the one that works");
        let by_hand = end(start(bench, "--date 2026-03-02 --output by-hand")).ended(75);
        assert!(child::out(&by_hand.output).is_empty() && !bench.folder.path().join("by-hand").exists());
        locked.let_go().await;

        let worked = end(working).ended(1);
        assert_eq!(worked.listed(), ["missing a new"]);
        assert_eq!(child::names(&bench.folder.path().join("out")).len(), 4, "one report");
        let alone = bench.run(NOW).ended(1);
        assert_eq!(alone.listed(), ["missing a open"]);
    })
    .await;
}

#[tokio::test]
async fn d43_what_a_killed_run_held_is_free_at_once() {
    everywhere(async |bench| {
        prepared(bench).await;
        let locked = Locked::new(bench).await;
        let mut killed = start(bench, "");
        held(bench, 1).await;
        killed.kill().unwrap();
        killed.wait().unwrap();
        locked.let_go().await;
        let next = bench.run(NOW).ended(1);
        assert_eq!(next.listed(), ["missing a new"]);
        let states = bench.ask("state, COUNT(*)", "msgrecon_runs GROUP BY state ORDER BY state").await;
        assert_eq!(states, ["finished|2", "killed|1"]);
        assert!(bench.ask("flow", "msgrecon_leases WHERE holder IS NOT NULL").await.is_empty());
    })
    .await;
}

#[tokio::test]
async fn d43_runs_of_different_flows_do_not_wait_for_each_other() {
    everywhere(async |bench| {
        let named =
            |name: &str| super::bench::usual().replace("name = \"orders\"", &format!("name = \"{name}\""));
        bench.flows = named("a") + &named("b");
        prepared(bench).await;
        let locked = Locked::new(bench).await;
        let (a, b) = (start(bench, "--flow a"), start(bench, "--flow b"));
        held(bench, 2).await;
        let all = end(start(bench, "")).ended(75);
        assert!(all.err().contains("`a`"), "{}", all.err());
        locked.let_go().await;
        for (run, flow) in [(a, "a"), (b, "b")] {
            let run = end(run).ended(1);
            assert_eq!(
                (run.listed(), &run.json()["differences"][0]["flow"]),
                (vec!["missing a new".to_owned()], &flow.into())
            );
        }
        assert_eq!(bench.counts().await, ["02T10:00 1 1 0", "02T10:00 1 1 0"]);
    })
    .await;
}

#[tokio::test]
async fn d43_a_run_that_was_taken_over_writes_nothing_more() {
    everywhere(async |bench| {
        prepared(bench).await;
        let locked = Locked::new(bench).await;
        let late = start(bench, "--output out");
        held(bench, 1).await;
        let before = bench.dump().await;
        bench.ledger.execute(&["UPDATE msgrecon_leases SET holder = 'another', token = token + 1"]).await;
        locked.let_go().await;
        let late = end(late).ended(75);
        assert!(late.err().contains("taken over"), "{}", late.err());
        assert!(child::out(&late.output).is_empty(), "what the other finds counts");
        assert!(child::names(&bench.folder.path().join("out")).is_empty());
        assert_eq!(bench.dump().await, before);
        assert_eq!(bench.ask("holder", "msgrecon_leases").await, ["another"], "it is not its to give back");
        let next = bench.run(NOW).ended(1);
        assert_eq!(next.listed(), ["missing a new"], "`another` does not live");
    })
    .await;
}
