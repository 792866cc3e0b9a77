//! From the first sight of a difference to its end: what the sources say later is found by key, however old it is, and the
//! counts of its window follow.

use super::{Bench, everywhere, together};

/// The first look at a day, so late that its windows are not judged again by themselves, and another a week later.
const FIRST: &str = "--start 2026-03-02 --as-of 2026-03-04T00:30:00Z";
const LATER: &str = "2026-03-11T00:30:00Z";

/// `history` of a difference, in short.
async fn history(bench: &Bench, id: &str) -> Vec<String> {
    let rows = bench
        .ask("history", &format!("msgrecon_differences WHERE detail <> '~' AND {}", of(bench, id)))
        .await;
    let moments: serde_json::Value = serde_json::from_str(&rows[0]).unwrap();
    let line = |one: &serde_json::Value| {
        format!("{} {}", one["kind"].as_str().unwrap(), one["state"].as_str().unwrap())
    };
    moments.as_array().unwrap().iter().map(line).collect()
}

/// A condition on the id, as this ledger writes bytes.
fn of(bench: &Bench, id: &str) -> String {
    use msgrecon::config::Dialect;
    match bench.ledger.dialect {
        Dialect::Sqlite => format!("CAST(id_key AS TEXT) = '{id}'"),
        Dialect::Postgres => format!("id_key = '{id}'::bytea"),
        Dialect::Mysql => format!("id_key = '{id}'"),
    }
}

#[tokio::test]
async fn missing_then_consumed_late_is_resolved_and_late_in_the_same_history() {
    let within = "--start 2026-03-02 --as-of 2026-03-03T00:30:00Z";
    for (first, as_of, recheck) in [(within, "2026-03-03T02:30:00Z", "within"), (FIRST, LATER, "outside")] {
        together(async |bench| {
            bench.tell("day 2026-03-02\nevent m acked 10:00 10:00\nevent o acked 10:05 10:05\nreceipt o billing 10:06").await;
            let first = bench.run(first).ended(1);
            assert_eq!(first.listed(), ["missing m new"]);
            assert_eq!(bench.counts().await, ["02T10:00 2 1 0"]);
            bench.tell("day 2026-03-03\nreceipt m billing 01:00").await;
            let second = bench.due(as_of).ended(0);
            assert_eq!(second.changes(), [0, 0, 0, 1, 0], "{recheck} the recheck span");
            let healed = second.healed();
            assert!(healed.len() == 1 && healed[0].starts_with("missing m: consumed"), "{healed:?}");
            assert_eq!((second.total("missing"), second.total("late")), (0, 1));
            assert_eq!(bench.differences("").await, ["m|late|resolved"]);
            assert_eq!(history(bench, "m").await, ["missing open", "late resolved"]);
            assert_eq!(bench.counts().await, ["02T10:00 2 0 1"]);
            let third = bench.due("2026-03-12T00:30:00Z").ended(0);
            assert_eq!((third.changes(), third.healed().len()), ([0; 5], 0), "told once");
            assert_eq!(bench.differences("").await, ["m|late|resolved"]);
        })
        .await;
    }
}

#[tokio::test]
async fn what_the_consumer_did_later_is_found_by_key() {
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nevent park acked 10:00 10:00\nevent close acked 11:00 11:00\ndead close billing 11:05\n\
                    event twice acked 12:00 12:00\nreceipt twice billing 12:01\nreceipt twice billing 12:02\n\
                    event gone acked 13:00 13:00\nevent ok acked 14:00 14:00\nreceipt ok billing 14:01").await;
        bench.run(FIRST).ended(1);
        let all = ["close|dead_lettered|open", "gone|missing|open", "park|missing|open", "twice|duplicate|open"];
        assert_eq!(bench.differences("").await, all);
        // park: to the dead letters. close: written off. gone: its row was purged.
        bench.tell("day 2026-03-03\ndead park billing 09:00").await;
        bench.sql("UPDATE dead_letter SET discarded_at = '2026-03-03T09:00:00Z' WHERE msg_id = 'close'").await;
        bench.sql("DELETE FROM event WHERE msg_id = 'gone'").await;
        let later = bench.due(LATER).ended(0);
        assert_eq!(later.changes(), [0, 2, 0, 1, 1]);
        assert_eq!(later.listed(), ["dead_lettered park open", "duplicate twice open"]);
        assert_eq!(later.healed(), ["dead_lettered close: its dead letter was closed", "missing gone: its event row is gone"]);
        assert_eq!(bench.differences("").await[..2], ["close|dead_lettered|resolved", "gone|missing|expired"]);
        assert_eq!(history(bench, "park").await, ["missing open", "dead_lettered open"]);
        assert_eq!(bench.counts().await, ["02T10:00 1 1 0", "02T11:00 1 0 0", "02T12:00 1 0 1", "02T14:00 1 0 0"]);
        // Requeued, and consumed at last.
        bench.tell("day 2026-03-11\nreceipt park billing 06:00").await;
        bench.sql("DELETE FROM dead_letter WHERE msg_id = 'park'").await;
        let last = bench.due("2026-03-12T00:30:00Z").ended(0);
        assert_eq!(last.changes(), [0, 1, 0, 1, 0]);
        assert_eq!(history(bench, "park").await, ["missing open", "dead_lettered open", "late resolved"]);
        assert_eq!(bench.differences(", times_seen").await[3], "twice|duplicate|open|3", "a duplicate stays");
        assert_eq!(bench.counts().await[..2], ["02T10:00 1 0 1", "02T11:00 1 0 0"]);
    })
    .await;
}

#[tokio::test]
async fn requeued_within_its_time_is_simply_ok() {
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nevent m acked 10:00 10:00\ndead m billing 10:05").await;
        let first = bench.run("--start 2026-03-02 --as-of 2026-03-02T11:30:00Z").ended(0);
        assert_eq!(first.listed(), ["dead_lettered m new"]);
        // The receipt carries the time of the message's first delivery.
        bench.tell("day 2026-03-02\nreceipt m billing 10:50").await;
        let second = bench.due("2026-03-02T12:30:00Z").ended(0);
        assert_eq!((second.total("ok"), second.total("dead_lettered")), (1, 0));
        assert_eq!(second.healed().len(), 1, "{:?}", second.healed());
        assert_eq!(bench.differences("").await, ["m|dead_lettered|resolved"]);
        assert_eq!(bench.counts().await, ["02T10:00 1 0 0"]);
    })
    .await;
}

#[tokio::test]
async fn what_the_relay_did_later_is_found_by_key() {
    everywhere(async |bench| {
        bench
            .tell(
                "day 2026-03-02\nevent s pending 10:00 -\nevent f failed 11:00 -\nevent keep pending 12:00 -",
            )
            .await;
        let first = bench.run(FIRST).ended(0);
        assert_eq!(first.listed(), ["publish_failed f new", "stuck keep new", "stuck s new"]);
        assert_eq!(bench.counts().await, ["02T10:00 0 0 1", "02T11:00 0 0 1", "02T12:00 0 0 1"]);
        // s was sent the next day and consumed; f arrived although its ack did not.
        bench
            .sql("UPDATE event SET status = 'acked', sent_at = '2026-03-03T09:00:00Z' WHERE msg_id = 's'")
            .await;
        bench.tell("day 2026-03-03\nreceipt s billing 09:00:01\nreceipt f billing 09:30").await;
        let later = bench.due(LATER).ended(0);
        assert_eq!(
            bench.differences("").await,
            ["f|publish_failed|resolved", "f|ack_lost|open", "keep|stuck|open", "s|stuck|resolved"]
        );
        assert_eq!(later.changes(), [1, 1, 0, 2, 0]);
        let healed = later.healed();
        assert!(
            healed.iter().any(|line| line.starts_with("stuck s: acked at 2026-03-03T09:00")),
            "{healed:?}"
        );
        assert!(healed.iter().any(|line| line.starts_with("publish_failed f: delivered")), "{healed:?}");
        // s is acked in the day of its ack now, and counted there once.
        assert_eq!(bench.counts().await, ["02T11:00 0 0 1", "02T12:00 0 0 1", "03T09:00 1 0 0"]);
        assert_eq!((later.total("ok"), later.total("ack_lost")), (1, 1));
    })
    .await;
}

#[tokio::test]
async fn an_orphan_whose_event_appears_is_resolved() {
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nreceipt o billing 10:00:01\nreceipt never billing 10:30").await;
        let first = bench.run(FIRST).ended(0);
        assert_eq!(first.listed(), ["orphan never new", "orphan o new"]);
        bench.tell("day 2026-03-02\nevent o acked 10:00 10:00").await;
        let later = bench.due(LATER).ended(0);
        assert_eq!(later.listed(), ["orphan never open"]);
        assert_eq!(bench.differences("").await, ["never|orphan|open", "o|orphan|resolved"]);
        let healed = later.healed();
        assert!(healed.len() == 1 && healed[0].contains("its event is there"), "{healed:?}");
        assert_eq!(bench.counts().await, ["02T10:00 1 0 1"]);
    })
    .await;
}

#[tokio::test]
async fn a_consumer_that_is_not_configured_any_more_expires_what_it_had_open() {
    everywhere(async |bench| {
        let flow = crate::world::Flow { consumers: vec!["billing", "mailer"], ..crate::world::Flow::default() };
        let both = flow.toml();
        bench.flows.clone_from(&both);
        bench.tell("day 2026-03-02\nevent m acked 10:00 10:00\nreceipt m mailer 10:01\nevent n acked 10:10 10:10\nreceipt n billing 10:11").await;
        bench.run(FIRST).ended(1);
        assert_eq!(bench.differences(", consumer").await, ["m|missing|open|billing", "n|missing|open|mailer"]);
        bench.flows = super::bench::usual();
        let less = bench.due(LATER).ended(1);
        assert_eq!(bench.differences("").await, ["m|missing|open", "n|missing|expired"]);
        assert_eq!(less.healed(), ["missing n: the consumer is not configured any more"]);
        assert_eq!(less.listed(), ["missing m open"]);
        bench.tell("day 2026-03-11\nreceipt m billing 10:00").await;
        bench.due("2026-03-12T00:30:00Z").ended(0);
        assert_eq!(bench.counts().await, ["02T10:00 2 0 1"], "mailer counts no more");
    })
    .await;
}

#[tokio::test]
async fn what_somebody_has_acknowledged_is_counted_and_does_not_fail_the_run_until_that_lapses() {
    everywhere(async |bench| {
        bench.tell("day 2026-03-02\nevent m acked 10:00 10:00\nevent s pending 11:00 -").await;
        bench.run(FIRST).ended(1);
        let until = crate::world::at("2026-03-06T00:00:00Z").0;
        bench
            .ledger
            .execute(&[format!("UPDATE msgrecon_differences SET ack_until = {until}, ack_reason = 'known'")])
            .await;
        let known = bench.due("2026-03-05T00:30:00Z").ended(0);
        assert_eq!(known.changes(), [0, 0, 2, 0, 0]);
        assert_eq!(known.total("missing"), 1, "it stays in the totals");
        assert_eq!(known.listed(), ["missing m acknowledged", "stuck s acknowledged"]);
        assert_eq!(
            (&known.json()["run"]["verdict"], &known.json()["run"]["outcome"]),
            (&"pass".into(), &"differences".into())
        );
        let sums = known.json()["flows"][0]["acknowledged"].to_string();
        assert!(sums.contains("missing") && sums.contains("stuck"), "{sums}");
        let lapsed = bench.due("2026-03-06T00:30:00Z").ended(1);
        assert_eq!(lapsed.changes(), [0, 2, 0, 0, 0]);
        assert_eq!(lapsed.listed(), ["missing m open", "stuck s open"]);
        assert_eq!(bench.differences(", times_seen").await, ["m|missing|open|3", "s|stuck|open|3"]);
    })
    .await;
}

#[tokio::test]
async fn a_run_as_of_the_same_instant_sees_what_has_changed_since() {
    for as_of in ["2026-03-03T00:30:00Z", "2026-03-04T00:30:00Z"] {
        together(async |bench| {
            bench.tell("day 2026-03-02\nevent m acked 10:00 10:00\nevent n acked 11:00 11:00").await;
            bench.run(&format!("--start 2026-03-02 --as-of {as_of}")).ended(1);
            assert_eq!(bench.differences("").await, ["m|missing|open", "n|missing|open"]);
            bench.tell("day 2026-03-02\nreceipt m billing 10:01").await;
            let again = bench.due(as_of).ended(1);
            assert_eq!((again.total("missing"), again.total("ok")), (1, 1), "{as_of}");
            assert_eq!(bench.differences("").await, ["m|missing|resolved", "n|missing|open"]);
        })
        .await;
    }
}
