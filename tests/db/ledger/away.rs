//! A ledger that is away, at the start or from some byte on.

use super::{Bench, everywhere};
use crate::child;
use crate::net::{Mischief, Relay, at_port, host_and_port};
use crate::world::DIALECTS;
use msgrecon::config::Dialect;
use std::collections::BTreeMap;

const BEFORE: &str = "2026-03-02T00:30:00Z";
const NOW: &str = "2026-03-03T00:30:00Z";
const FILES: [&str; 4] = ["differences.csv", "report.html", "report.json", "windows.csv"];
/// The session of the run is cut after so many parts of what the server says in it.
const PARTS: usize = 8;

async fn prepared(dialect: Dialect) -> Option<Bench> {
    let bench = Bench::new(dialect, Dialect::Sqlite).await?;
    let day = "event a acked 10:00 10:00\nevent b acked 11:00 11:00\nreceipt b billing 11:01\nevent c pending 12:00 -";
    bench.tell(&format!("day 2026-03-01\nevent old acked 10:00 10:00\nday 2026-03-02\n{day}")).await;
    bench.due(BEFORE);
    bench.tell("day 2026-03-02\nreceipt old billing 09:00").await;
    Some(bench)
}

/// How many bytes a run's longest session takes, and the ledger that an undisturbed run leaves.
async fn undisturbed(dialect: Dialect) -> Option<(usize, BTreeMap<&'static str, Vec<String>>)> {
    let mut bench = prepared(dialect).await?;
    let relay = Relay::new(host_and_port(&bench.ledger.url), Mischief::default());
    bench.ledger_url = at_port(&bench.ledger.url, relay.port);
    bench.due(NOW).ended(1);
    let left = (relay.longest(), bench.dump().await);
    bench.remove().await;
    Some(left)
}

#[tokio::test]
async fn a_ledger_that_breaks_off_costs_no_report_and_the_next_run_repairs_it() {
    for dialect in DIALECTS.into_iter().filter(|dialect| *dialect != Dialect::Sqlite) {
        let Some((bytes, wanted)) = undisturbed(dialect).await else { continue };
        let mut codes = BTreeMap::new();
        for part in 1..PARTS {
            let mut bench = prepared(dialect).await.unwrap();
            let cut_after = Some(bytes * part / PARTS);
            let mischief = Mischief { cut_after, cuts: usize::MAX, ..Mischief::default() };
            let relay = Relay::new(host_and_port(&bench.ledger.url), mischief);
            bench.ledger_url = at_port(&bench.ledger.url, relay.port);
            let cut = bench.run(&format!("--as-of {NOW} --output out"));
            eprintln!("{dialect:?}: {cut_after:?} of {bytes}: exit {}: {}", cut.code, cut.err());
            *codes.entry(cut.code).or_insert(0) += 1;
            if cut.code == 4 {
                assert!(cut.err().contains("judged, and not recorded"), "{}", cut.err());
                assert_eq!(child::names(&bench.folder.path().join("out")), FILES);
                assert_eq!(cut.json()["run"]["id"], written(&bench)["run"]["id"]);
            } else {
                assert_eq!(cut.code, 3, "nothing was begun: {}", cut.err());
                assert!(child::out(&cut.output).is_empty(), "which windows are due is not known");
            }
            bench.ledger_url.clone_from(&bench.ledger.url);
            bench.due(NOW).ended(1);
            assert_eq!(bench.dump().await, wanted, "cut after {cut_after:?} of {bytes}");
            bench.remove().await;
        }
        assert!(codes.get(&4).is_some_and(|count| *count >= PARTS / 2), "{codes:?}");
    }
}

fn written(bench: &Bench) -> serde_json::Value {
    serde_json::from_slice(&std::fs::read(bench.folder.path().join("out/report.json")).unwrap()).unwrap()
}

/// Where no ledger is.
fn nowhere(dialect: Dialect) -> String {
    match dialect {
        Dialect::Sqlite => "sqlite:///no/such/folder/ledger.db".to_owned(),
        Dialect::Postgres => "postgres://app:Zyx9secret@127.0.0.1:1/ledger".to_owned(),
        Dialect::Mysql => "mysql://app:Zyx9secret@127.0.0.1:1/ledger".to_owned(),
    }
}

#[tokio::test]
async fn without_a_ledger_the_schedule_waits_and_a_range_by_hand_is_told() {
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nevent a acked 10:00 10:00").await;
        bench.ledger_url = nowhere(bench.ledger.dialect);
        let due = bench.run(&format!("--as-of {NOW} --output due")).ended(3);
        assert!(child::out(&due.output).is_empty() && due.err().contains("ledger"), "{}", due.err());
        assert!(!bench.folder.path().join("due").exists());
        let by_hand = bench.run(&format!("--date 2026-03-02 --as-of {NOW} --output out")).ended(4);
        assert_eq!(by_hand.listed(), ["missing a new"]);
        assert!(by_hand.err().contains("judged, and not recorded"), "{}", by_hand.err());
        assert_eq!(child::names(&bench.folder.path().join("out")), FILES);
        assert_eq!(written(bench)["run"]["exit_code"], 1, "what was judged stands in the report");
        for output in [&due, &by_hand] {
            assert!(!child::said(&output.output).contains("Zyx9secret"));
        }
        bench.run(&format!("--date 2026-03-02 --as-of {NOW} --no-record")).ended(1);
    })
    .await;
}
