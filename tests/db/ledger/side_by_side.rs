//! Flows side by side: the same report, the same ledger, and one that fails leaves the others.

use super::{Bench, everywhere};
use crate::child;
use crate::kill::anonymous;
use crate::world::Place;
use msgrecon::config::Dialect;
use std::collections::BTreeMap;

const AS_OF: [&str; 2] = ["2026-03-03T00:30:00Z", "2026-03-03T06:30:00Z"];
const NAMES: [&str; 7] = ["a", "b", "broken", "c", "d", "e", "f"];

/// Seven flows over the same tables, in windows of several lengths; one names a table that is not there.
fn flows() -> String {
    let of = |(place, name): (usize, &&str)| {
        let flow = super::bench::usual().replace("name = \"orders\"", &format!("name = \"{name}\""));
        let flow = flow.replace("window = \"1h\"", ["window = \"1h\"", "window = \"6h\""][place % 2]);
        if *name == "broken" { flow.replace("table = \"event\"", "table = \"nowhere\"") } else { flow }
    };
    NAMES.iter().enumerate().map(of).collect()
}

/// What two runs say, the second after more has happened, without their ids.
async fn two_runs(bench: &Bench, jobs: usize, between: bool) -> Vec<BTreeMap<String, String>> {
    let mut said = Vec::new();
    for as_of in AS_OF {
        let out = format!("out-{jobs}-{}", said.len());
        let told = bench.run(&format!("--as-of {as_of} --jobs {jobs} --output {out}")).ended(1);
        let mut texts = BTreeMap::from([("stdout".to_owned(), anonymous(&child::out(&told.output)))]);
        for (path, content) in child::files(&bench.folder.path().join(out)) {
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            texts.insert(name, anonymous(&String::from_utf8(content).unwrap()));
        }
        said.push(texts);
        if between && as_of == AS_OF[0] {
            bench.tell("day 2026-03-02\nreceipt lost billing 20:00\nevent more acked 21:10 21:10").await;
        }
    }
    said
}

#[tokio::test]
async fn flows_side_by_side_come_to_what_flows_one_after_the_other_come_to() {
    everywhere(async |bench| {
        bench.flows = flows();
        let story = "day 2026-03-02\nevent lost acked 10:00 10:00\nevent gone acked 11:00 11:00\nevent ok acked 12:00 12:00\n\
                     receipt ok billing 12:01\nreceipt stranger billing 13:00\nevent stuck pending 14:00 -";
        bench.tell(story).await;
        let side_by_side = two_runs(bench, 4, true).await;
        // The tables as they were before the first run.
        bench.sql("DELETE FROM event WHERE msg_id = 'more'").await;
        bench.sql("DELETE FROM consumed_message WHERE msg_id = 'lost'").await;
        let other = Place::new(Dialect::Sqlite).await.unwrap();
        let ledger = bench.dump().await;
        bench.ledger_url = other.url.clone();
        let one_by_one = two_runs(bench, 1, true).await;
        for (right, told) in one_by_one.iter().zip(&side_by_side) {
            assert_eq!(right.keys().collect::<Vec<_>>(), told.keys().collect::<Vec<_>>());
            for (name, right) in right {
                let told = &told[name];
                let differ = right.lines().zip(told.lines()).find(|(right, told)| right != told);
                assert!(right == told, "{name}: {differ:#?}");
            }
        }
        let mine = std::mem::replace(&mut bench.ledger, other);
        let right = bench.dump().await;
        let other = std::mem::replace(&mut bench.ledger, mine);
        assert_eq!(ledger, right);
        other.remove().await;
    })
    .await;
}

#[tokio::test]
async fn a_flow_that_fails_leaves_those_beside_it() {
    everywhere(async |bench| {
        bench.flows = flows();
        bench.tell("day 2026-03-02\nevent a acked 10:00 10:00").await;
        let told = bench.run(&format!("--as-of {} --jobs 3", AS_OF[0])).ended(1);
        for name in NAMES {
            let (flow, broken) = (told.flow(name), name == "broken");
            assert_eq!(flow["complete"], !broken, "{name}");
            let missing = &flow["consumers"][0]["totals"]["missing"];
            assert_eq!(missing.as_u64(), (!broken).then_some(1), "{name}: what was not read is never 0");
        }
        let begun = bench.ask("flow", "msgrecon_windows GROUP BY flow ORDER BY flow").await;
        assert_eq!(begun, ["a", "b", "c", "d", "e", "f"]);
        assert_eq!(told.json()["differences"].as_array().unwrap().len(), 6);
        let names = told.json()["flows"].clone();
        let names: Vec<_> = names.as_array().unwrap().iter().map(|flow| flow["name"].clone()).collect();
        assert_eq!(names, NAMES, "in the order of the configuration");
    })
    .await;
}
