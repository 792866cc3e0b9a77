//! Sources that lag or fail: what is not judged stays due.

use super::{Bench, everywhere};
use crate::child;
use crate::world::{Flow, Place};
use msgrecon::config::Dialect;
use msgrecon::story::{Half, Story};

const HEARTBEAT: &str = "fresh_until = \"SELECT max(beat_at) FROM heartbeat\"";

#[tokio::test]
async fn d37_a_window_beyond_the_replica_is_judged_when_the_replica_has_it() {
    everywhere(async |bench| {
        bench.consumers = HEARTBEAT.to_owned();
        bench.sql("CREATE TABLE heartbeat (beat_at TEXT)").await;
        bench.sql("INSERT INTO heartbeat VALUES ('2026-03-02T23:45:00Z')").await;
        bench.tell("day 2026-03-02\nevent a acked 23:50 23:50\nevent b acked 20:00 20:00").await;

        let first = bench.due("2026-03-03T00:20:00Z").ended(1);
        assert_eq!(first.listed(), ["missing b new"]);
        assert_eq!((first.json()["run"]["complete"].clone(), first.total("unverifiable")), (false.into(), 1));
        assert_eq!((bench.windows().await, first.life("due")), (23, 1.into()), "not the last one");
        assert_eq!(first.life("watermark"), "2026-03-02T23:00:00Z");
        assert_eq!(bench.counts().await, ["02T20:00 1 1 0"]);

        bench.sql("UPDATE heartbeat SET beat_at = '2026-03-03T00:20:01Z'").await;
        bench.tell("day 2026-03-02\nreceipt a billing 23:51").await;
        let second = bench.due("2026-03-03T00:25:00Z").ended(1);
        assert_eq!(second.listed(), ["missing b open"]);
        assert_eq!((second.total("ok"), second.total("unverifiable")), (1, 0));
        assert_eq!(second.json()["run"]["complete"], true);
        assert_eq!((bench.windows().await, second.life("due")), (24, 0.into()));
        assert_eq!(second.life("watermark"), "2026-03-03T00:00:00Z");
        assert_eq!(bench.counts().await, ["02T20:00 1 1 0", "02T23:00 1 0 0"]);
    })
    .await;
}

/// The usual flow under this name, both sides in this database.
fn pipeline(name: &str, database: &str) -> String {
    let flow = Flow { dead_letters: false, ..Flow::default() }.toml();
    flow.replace("name = \"orders\"", &format!("name = \"{name}\""))
        .replace("database = \"p\"", &format!("database = \"{database}\""))
        .replace("database = \"c\"", &format!("database = \"{database}\""))
}

fn database(name: &str, url: &str) -> String {
    format!("[databases.{name}]\nurl = '{url}'\ntime_zone = \"UTC\"\n\n")
}

/// P1 reads `lost`, P2 `denied`, P3 `refused`, P4 `healthy`.
fn four(bench: &mut Bench, urls: [&str; 4]) {
    let names = ["lost", "denied", "refused", "healthy"];
    let databases: String = names.iter().zip(urls).map(|(name, url)| database(name, url)).collect();
    let flows = ["P1", "P2", "P3", "P4"].iter().zip(names).map(|(flow, name)| pipeline(flow, name));
    bench.flows = databases + &flows.collect::<String>();
}

async fn marks(bench: &Bench) -> Vec<String> {
    bench.ask("flow, watermark - begin_at", "msgrecon_flows ORDER BY flow").await
}

#[tokio::test]
async fn d38_flows_that_fail_stay_where_they_are_and_the_healthy_one_is_saved() {
    const DAY: &str = "86400000000";
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nevent h acked 10:00 10:00\nreceipt h billing 10:00:01").await;
        let lost = Place::new(Dialect::Sqlite).await.unwrap();
        let story = Story::parse("day 2026-03-02\nevent a acked 10:00 10:00").unwrap();
        lost.tell(&story, Half::Producer, false).await;
        let text = bench.folder.path().join("text.db");
        std::fs::write(&text, "This is a text and no database at all. ".repeat(50)).unwrap();
        let healthy = bench.sources.url.clone();
        let denied = format!("sqlite://{}", text.display());
        four(bench, [&lost.url, &denied, "postgres://app@127.0.0.1:1/shop", &healthy]);

        let first = bench.due("2026-03-03T06:00:00Z").ended(3);
        assert!(first.listed().is_empty(), "no `missing` for a: {:?}", first.listed());
        assert_eq!(marks(bench).await[..3], ["P1|0", "P2|0", "P3|0"], "the marks do not move");
        assert!(bench.ask("flow", "msgrecon_windows WHERE flow <> 'P4'").await.is_empty());
        assert!(bench.differences("").await.is_empty());
        for name in ["P1", "P2", "P3"] {
            let flow = first.flow(name);
            child::assert_no_zero(&flow["consumers"]);
            assert!(flow["consumers"][0]["totals"].is_null());
            assert_eq!(flow["life"]["due"], 29, "{name}: all of them wait for the next run");
        }
        assert_eq!(first.flow("P4")["consumers"][0]["totals"]["ok"], 1);
        assert_eq!(bench.ask("flow, acked", "msgrecon_windows WHERE acked > 0").await, ["P4|1"]);

        lost.tell(&story, Half::Consumer, false).await;
        four(bench, [&lost.url, &healthy, &healthy, &healthy]);
        let second = bench.due("2026-03-03T06:10:00Z").ended(1);
        assert_eq!(second.listed(), ["missing a new"]);
        assert_eq!(second.json()["run"]["complete"], true);
        let repeated = bench.ask("flow, acked, lost", "msgrecon_windows WHERE acked > 0 ORDER BY flow").await;
        assert_eq!(repeated, ["P1|1|1", "P2|1|0", "P3|1|0", "P4|1|0"]);
        let marks = marks(bench).await;
        assert!(marks.iter().all(|mark| mark.len() > DAY.len() && *mark != "P1|0"), "{marks:?}");
        assert_eq!(second.flow("P1")["life"]["watermark"], second.flow("P4")["life"]["watermark"]);
    })
    .await;
}
