//! How far flows are judged, and what is forgotten.

use super::ledger::{AT, DUE};
use super::{BALANCED, LOST, STUCK, Shop};
use crate::child;
use msgrecon::ledger::{Lease, Ledger};
use serde_json::Value;

impl Shop {
    /// The status of one flow as JSON, and the exit code.
    fn status(&self, more: &str) -> (Value, i32) {
        let output = self.run(&format!("status --format json {more}"));
        let document = child::json(&output);
        (document["flows"][0].clone(), child::code(&output))
    }
}

#[tokio::test]
async fn status_is_a_probe_for_overdue_flows() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    let (flow, code) = shop.status(AT);
    assert_eq!(
        (code, &flow["overdue"], &flow["due"]["count"]),
        (0, &false.into(), &0.into()),
        "open differences are no delay"
    );
    assert_eq!(
        (&flow["watermark"], &flow["next_due_at"]),
        (&"2026-03-03T05:00:00Z".into(), &"2026-03-03T06:15:00Z".into())
    );
    assert_eq!((&flow["open"]["total"], &flow["last_run"]["exit_code"]), (&1.into(), &1.into()));
    // The window until 06:00 is due at 06:15, and two hours later it is late.
    assert_eq!(shop.status("--as-of 2026-03-03T08:15:00Z").1, 0);
    let (flow, code) = shop.status("--as-of 2026-03-03T08:16:00Z");
    assert_eq!((code, &flow["overdue_since"]), (1, &"2026-03-03T06:15:00Z".into()));
    assert_eq!(shop.status("--as-of 2026-03-03T08:16:00Z --overdue 3h").1, 0);
    assert_eq!(shop.status("--as-of 2026-03-03T06:30:00Z --overdue 5m").1, 1);
    let text = child::out(&shop.run("status --as-of 2026-03-03T09:00:00Z"));
    assert!(text.starts_with("1 of 1 flow overdue") && text.contains("3 windows due"), "{text}");
}

#[tokio::test]
async fn status_names_holes_strangers_and_the_new() {
    let shop = Shop::new(BALANCED).await;
    assert_eq!(child::code(&shop.run("run --start 2026-03-02 --as-of 2026-03-02T06:20:00Z")), 0);
    let later = "run --from 2026-03-02T10:00:00Z --until 2026-03-02T12:00:00Z --as-of 2026-03-02T12:20:00Z";
    assert_eq!(child::code(&shop.run(later)), 0);
    let (flow, code) = shop.status("--as-of 2026-03-02T12:30:00Z");
    assert_eq!((code, &flow["due"]["count"], &flow["holes"]["count"]), (1, &4.into(), &4.into()));
    assert_eq!(flow["holes"]["first"][0]["from"], "2026-03-02T06:00:00Z");
    assert_eq!(child::code(&shop.run("run --as-of 2026-03-02T12:30:00Z")), 0);
    assert_eq!(shop.status("--as-of 2026-03-02T12:30:00Z").1, 0, "the hole is filled");
    let renamed = Shop { config: shop.config.replace("name = \"orders\"", "name = \"renamed\""), ..shop };
    let output = renamed.run("status --as-of 2026-03-02T12:30:00Z");
    assert_eq!(child::code(&output), 1);
    let text = child::out(&output);
    assert!(text.contains("renamed · overdue: no scheduled run has judged it"), "{text}");
    assert!(text.contains("orders · not in the configuration any more"), "{text}");
    assert_eq!(child::code(&renamed.run("status --flow orders --as-of 2026-03-02T12:30:00Z")), 0);
    renamed.refused("status --flow nowhere", 2);
}

#[tokio::test]
async fn pruning_forgets_what_is_done_and_makes_no_hole() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST + STUCK)).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    let heal = "INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at) VALUES (900, 'billing', 'b', '2026-03-02 11:00:01')";
    shop.place.execute(&[heal]).await;
    let at = "--as-of 2026-03-10T06:00:00Z";
    assert_eq!(
        child::code(&shop.run(&format!("run {at}"))),
        0,
        "found by its id, days after its window was judged last"
    );
    let before = shop.run("report --format json");
    let said = child::out(&shop.run("prune --older-than 1ms"));
    // The first run is not the last one; of its 29 windows and the later ones only the one with the stuck message stays.
    assert!(said.contains("1 run,") && said.contains("1 healed difference"), "{said}");
    let (flow, code) = shop.status(at);
    assert_eq!(
        (code, &flow["due"]["count"], &flow["holes"]["count"], &flow["open"]["total"]),
        (0, &0.into(), &0.into(), &1.into())
    );
    assert_eq!(flow["watermark"], "2026-03-10T05:00:00Z");
    assert_eq!(shop.run("report --format json").stdout, before.stdout);
    let plan = child::out(&shop.run("plan --as-of 2026-03-10T07:00:00Z"));
    assert!(plan.contains("1 window of 1h: 2026-03-10 05:00"), "{plan}");
    assert!(
        plan.contains("again    23 windows"),
        "what was last judged within the recheck span after its end, and nothing of what is forgotten: {plan}"
    );
    assert!(
        child::out(&shop.run("prune --older-than 1ms")).contains("0 runs, 0 final windows, 0 healed"),
        "done is done"
    );
}

#[tokio::test]
async fn who_writes_waits_for_the_run_at_work() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    let path = shop.folder.path().join("msgrecon.db");
    let url = secrecy::SecretString::from(format!("sqlite://{}", path.display()));
    let mut ledger = Ledger::open(&url, false).await.unwrap();
    let lease =
        Lease::take(&mut ledger, &url, "20260303T070000Z-0000aaaa", &["orders".to_owned()]).await.unwrap();
    for arguments in ["differences acknowledge b --until 2099-01-01 --reason x", "prune --older-than 1ms"] {
        let said = shop.refused(arguments, 75);
        assert!(said.contains("20260303T070000Z-0000aaaa") && said.contains("`orders`"), "{said}");
    }
    assert_eq!(shop.status(AT).0["at_work"], "20260303T070000Z-0000aaaa");
    lease.free(&mut ledger).await;
    assert_eq!(child::code(&shop.run("differences acknowledge b --until 2099-01-01 --reason x")), 0);
    assert_eq!(shop.status(AT).0["acknowledged"], 1);
}

#[tokio::test]
async fn an_acknowledgement_says_until_when_and_why() {
    use std::io::Write as _;
    let shop = Shop::new(&(BALANCED.to_owned() + LOST + STUCK)).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    for (arguments, help) in [
        ("b", "--until"),
        ("b --until 2099-01-01", "--reason"),
        ("b --until 2020-01-01 --reason x", "--clear"),
        ("b --until 2099-01-01 --reason x --clear", "cannot be used with"),
        ("b --until soon --reason x", "2026-03-02"),
        ("b --until 2099-01-01 --reason x --kind stuck", "nothing was acknowledged"),
        ("b --until 2099-01-01 --reason x --kind ok", "missing"),
    ] {
        let said = shop.refused(&format!("differences acknowledge {arguments}"), 2);
        assert!(said.contains(help), "{arguments}: {said}");
    }
    let mut command = child::command(shop.folder.path(), &shop.config);
    command.args("differences acknowledge - --until 2099-01-01 --reason OPS-17".split(' '));
    command.stdin(std::process::Stdio::piped()).stdout(std::process::Stdio::piped());
    let mut child = command.spawn().unwrap();
    child.stdin.take().unwrap().write_all(b"b\nc\n\n").unwrap();
    let output = child.wait_with_output().unwrap();
    assert!(
        child::out(&output).starts_with("acknowledged until 2099-01-01 00:00 +00:00: 2 differences"),
        "{}",
        child::out(&output)
    );
}
