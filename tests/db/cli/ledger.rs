//! What is shown of the ledger: runs, reports, differences, repair lists.

use super::{BALANCED, DAY, LOST, STUCK, Shop};
use crate::child;
use crate::world::{DIALECTS, Place};
use msgrecon::config::Dialect;
use serde_json::Value;

/// A run of what is due, and the instant at which the others look.
pub const DUE: &str = "run --as-of 2026-03-03T06:00:00Z --start 2026-03-02";
pub const AT: &str = "--as-of 2026-03-03T06:00:00Z";

/// The shop with its ledger on a server of its own.
async fn shop_with_ledger(dialect: Dialect, story: &str) -> Option<(Shop, Place)> {
    let ledger = Place::new(dialect).await?;
    let shop = Shop::new(story).await;
    let config = format!("[ledger]\nurl = '{}'\n\n{}", ledger.url, shop.config);
    Some((Shop { config, ..shop }, ledger))
}

/// `kind id` of each difference of a list in JSON.
fn brief(list: &Value, key: &str) -> Vec<String> {
    let word = |row: &Value, key: &str| row[key].as_str().unwrap().to_owned();
    let rows = list[key].as_array().unwrap();
    rows.iter().map(|row| format!("{} {}", word(row, "kind"), word(row, "id"))).collect()
}

impl Shop {
    fn listed(&self, more: &str) -> Vec<String> {
        let output = self.run(&format!("differences list {AT} --format json {more}"));
        assert_eq!(child::code(&output), 0, "{}", child::said(&output));
        brief(&child::json(&output), "differences")
    }

    fn exported(&self, more: &str) -> (Vec<String>, i32, String) {
        let output = self.run(&format!("differences export {AT} --format json {more}"));
        (brief(&child::json(&output), "repairs"), child::code(&output), child::err(&output))
    }

    /// What the program says of a failure, which is this one.
    pub fn refused(&self, arguments: &str, code: i32) -> String {
        let output = self.run(arguments);
        assert_eq!(child::code(&output), code, "{arguments}: {}", child::said(&output));
        assert!(output.stdout.is_empty(), "{arguments}: {}", child::said(&output));
        child::err(&output)
    }
}

#[tokio::test]
async fn differences_are_listed_exported_and_acknowledged_on_every_ledger() {
    for dialect in DIALECTS {
        let story = BALANCED.to_owned() + LOST + STUCK;
        let Some((shop, ledger)) = shop_with_ledger(dialect, &story).await else { continue };
        assert_eq!(child::code(&shop.run(DUE)), 1);
        assert_eq!(shop.listed(""), ["stuck c", "missing b"]);
        assert_eq!(shop.listed("--consumer billing"), ["missing b"]);
        assert_eq!(shop.listed("--consumer - --kind stuck"), ["stuck c"]);
        assert_eq!(shop.listed("--id b --flow orders"), ["missing b"]);
        assert_eq!(shop.listed("--older-than 1h"), [""; 0]);
        let (rows, code, said) = shop.exported("");
        assert_eq!(
            (rows.as_slice(), code, said.as_str()),
            (&["stuck c", "missing b"].map(String::from)[..], 0, "")
        );
        let said = shop.refused("differences acknowledge b nope --until 2099-01-01 --reason known", 2);
        assert!(said.contains("nope") && said.contains("nothing was acknowledged"), "{said}");
        assert_eq!(shop.listed("--state acknowledged"), [""; 0]);
        let output = shop.run("differences acknowledge b --until 2099-01-01 --reason OPS-17");
        assert_eq!(child::code(&output), 0, "{}", child::said(&output));
        assert!(
            child::out(&output).contains("missing        b · orders at billing"),
            "{}",
            child::out(&output)
        );
        assert_eq!(
            (shop.listed(""), shop.listed("--state acknowledged")),
            (vec!["stuck c".to_owned()], vec!["missing b".to_owned()])
        );
        assert_eq!(shop.exported("").0, ["stuck c"]);
        assert_eq!(shop.exported("--include-acknowledged").0, ["stuck c", "missing b"]);
        assert_eq!(
            child::code(&shop.run("run --as-of 2026-03-03T07:00:00Z")),
            0,
            "known: no threshold counts it"
        );
        assert_eq!(
            child::code(&shop.run("differences acknowledge b --clear --flow orders --consumer billing")),
            0
        );
        assert_eq!(shop.listed("--consumer billing"), ["missing b"]);
        assert_eq!(child::code(&shop.run("run --as-of 2026-03-03T08:00:00Z")), 1, "known no longer");
        ledger.remove().await;
    }
}

#[tokio::test]
async fn a_difference_that_healed_since_is_left_out_of_the_repair_list_and_changes_change_the_action() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST + STUCK + "event e acked 14:00:00 14:00:00\n")).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    shop.place
        .execute(&[
            "INSERT INTO consumed_message (nr, consumer, msg_id, consumed_at) VALUES (900, 'billing', 'b', '2026-03-02 11:00:01')",
            "INSERT INTO dead_letter (nr, consumer, msg_id, failed_at, error) VALUES (900, 'billing', 'e', '2026-03-02 15:00:00', 'poison')",
        ])
        .await;
    let (rows, code, said) = shop.exported("");
    assert_eq!((rows.as_slice(), code), (&["stuck c", "dead_lettered e"].map(String::from)[..], 0));
    assert!(said.contains("1 difference left out"), "{said}");
    assert_eq!(
        shop.listed(""),
        ["stuck c", "missing b", "missing e"],
        "the ledger learns of it by the next run"
    );
    let output = shop.run(&format!("differences export {AT} --output list.csv --consumer billing"));
    assert_eq!((child::code(&output), child::out(&output).as_str()), (0, ""));
    let list = std::fs::read_to_string(shop.folder.path().join("list.csv")).unwrap();
    assert!(
        list.starts_with("flow,consumer,action,id,kind,")
            && list.contains("orders,billing,requeue,e,dead_lettered,"),
        "{list}"
    );
    assert_eq!(list.lines().count(), 2);
    assert_eq!(child::code(&shop.run("run --as-of 2026-03-03T07:00:00Z")), 0, "nothing is missing any more");
    assert_eq!(shop.listed("--state resolved"), ["missing b"]);
}

#[tokio::test]
async fn what_cannot_be_looked_up_is_left_out_and_told() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST + STUCK)).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    let broken = shop.config.replace("table = \"consumed_message\"", "table = \"gone\"");
    let one = Shop { config: broken, ..shop };
    let (rows, code, said) = one.exported("");
    assert_eq!(
        (rows.len(), code),
        (0, 3),
        "only a consumer can tell what waits from what was delivered: {said}"
    );
    assert!(
        said.contains("`orders`") && said.contains("gone") && said.contains("2 differences left out"),
        "{said}"
    );
    let all = Shop { config: one.config.replace("table = \"event\"", "table = \"away\""), ..one };
    let (rows, code, said) = all.exported("");
    assert_eq!((rows.len(), code), (0, 3), "{said}");
    assert!(said.contains("2 differences left out") && said.contains("away"), "{said}");
    let renamed = Shop { config: all.config.replace("name = \"orders\"", "name = \"renamed\""), ..all };
    let (rows, code, said) = renamed.exported("");
    assert_eq!((rows.len(), code), (0, 3));
    assert!(said.contains("the configuration does not have it any more"), "{said}");
}

#[tokio::test]
async fn a_report_is_shown_again_to_the_byte() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST + STUCK)).await;
    for format in ["table", "csv", "json", "html"] {
        let printed = shop.run(&format!("{DUE} --format {format} --output first"));
        assert_eq!(child::code(&printed), 1);
        let again = shop.run(&format!("report --format {format} --output second"));
        assert_eq!(child::code(&again), 0, "{}", child::said(&again));
        assert!(printed.stdout == again.stdout, "{format}: {}", child::said(&again));
        for name in super::FILES {
            let read = |folder: &str| std::fs::read(shop.folder.path().join(folder).join(name)).unwrap();
            assert!(read("first") == read("second"), "{name}");
        }
    }
    let by_hand = shop.run(&format!("run {DAY}"));
    let id = child::json(&shop.run("history --limit 1 --format json"))["runs"][0]["run"]
        .as_str()
        .unwrap()
        .to_owned();
    for asked in [id.as_str(), &id[..id.len() - 1]] {
        assert_eq!(child::out(&shop.run(&format!("report {asked}"))), child::out(&by_hand));
    }
    let several = shop.refused("report 20", 2);
    assert!(several.contains("several runs") && several.contains("msgrecon history"), "{several}");
    let none = shop.refused("report 19991231T", 2);
    assert!(none.contains("msgrecon history"), "{none}");
    shop.refused("report %", 2);
}

#[tokio::test]
async fn the_history_names_every_run() {
    let shop = Shop::new(&(BALANCED.to_owned() + LOST)).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    assert_eq!(child::code(&shop.run(&format!("run {DAY}"))), 1);
    let runs = child::json(&shop.run("history --flow orders --format json"));
    let run = |place: usize| &runs["runs"][place];
    assert_eq!((&run(0)["scheduled"], &run(1)["scheduled"]), (&false.into(), &true.into()));
    assert_eq!((&run(1)["windows"], &run(1)["new"]), (&29.into(), &1.into()));
    assert_eq!(
        (&run(1)["exit_code"], &run(1)["verdict"], &run(1)["state"]),
        (&1.into(), &"fail".into(), &"finished".into())
    );
    assert_eq!(child::out(&shop.run("history --format csv --limit 1")).lines().count(), 2);
    let text = child::out(&shop.run("history"));
    assert!(
        text.contains("by hand") && text.contains("scheduled") && text.contains("exit 1 · differences"),
        "{text}"
    );
    assert!(shop.refused("history --flow nowhere", 2).contains("orders"));
    shop.refused("history --limit 0", 2);
}

#[tokio::test]
async fn a_cut_list_says_so_in_every_format() {
    let many = (0..1_205)
        .fold(String::new(), |text, nr| text + &format!("event lost-{nr:04} acked 10:00:00 10:00:00\n"));
    let shop = Shop::new(&many).await;
    assert_eq!(child::code(&shop.run(DUE)), 1);
    let list = |more: &str| child::json(&shop.run(&format!("differences list --format json {more}")));
    let cut = list("");
    assert_eq!((&cut["listed"], &cut["more"]), (&1_000.into(), &true.into()));
    for (limit, more) in [("1205", false), ("1204", true), ("5000", false)] {
        assert_eq!(list(&format!("--limit {limit}"))["more"], more, "{limit}");
    }
    let all = list("--limit 5000");
    let ids: std::collections::BTreeSet<_> = brief(&all, "differences").into_iter().collect();
    assert_eq!(ids.len(), 1_205, "no page repeats or skips");
    let text = child::out(&shop.run("differences list --limit 3"));
    assert!(text.contains("3 differences; there are more: see --limit"), "{text}");
    assert_eq!(shop.exported("").0.len(), 1_205);
}

#[tokio::test]
async fn who_only_reads_makes_no_ledger() {
    for dialect in DIALECTS {
        let Some((shop, ledger)) = shop_with_ledger(dialect, BALANCED).await else { continue };
        let plan = shop.run(&format!("plan {AT} --start 2026-03-02"));
        assert_eq!(child::code(&plan), 0, "{}", child::said(&plan));
        assert!(
            child::out(&plan).contains("there is no ledger yet")
                && child::out(&plan).contains("29 windows of 1h"),
            "{}",
            child::out(&plan)
        );
        for (arguments, code) in [
            ("history", 2),
            ("report", 2),
            ("differences list", 2),
            ("differences export", 2),
            ("differences acknowledge a --until 2099-01-01 --reason x", 2),
            ("prune --older-than 90d", 2),
            ("status", 3),
        ] {
            let said = shop.refused(arguments, code);
            assert!(said.contains("msgrecon run"), "{arguments}: {said}");
        }
        let dry = child::out(&shop.run(&format!("plan {AT}")));
        assert!(dry.contains("there is no ledger yet"), "none was made: {dry}");
        assert_eq!(child::code(&shop.run(DUE)), 0);
        let plan = child::out(&shop.run("plan --as-of 2026-03-03T08:00:00Z"));
        assert!(
            plan.contains("2 windows of 1h: 2026-03-03 05:00") && plan.contains("again    23 windows"),
            "{plan}"
        );
        ledger.remove().await;
    }
    let shop = Shop::new(BALANCED).await;
    for arguments in ["plan", "history", "status", "differences list"] {
        shop.run(arguments);
    }
    assert_eq!(child::names(shop.folder.path()), ["msgrecon.toml"]);
}
