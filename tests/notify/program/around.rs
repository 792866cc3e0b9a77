//! What is told of the job itself: heartbeats, metrics, hooks.

use super::super::peer::{Peer, say};
use super::{FIRST, FOLDER, ONE_MISSING, SECOND, Shop, THIRD};

/// The value of a metric without labels; `None` where it is not there.
fn metric(shop: &Shop, name: &str) -> Option<f64> {
    let text = shop.text("m.prom");
    let line = text.lines().find_map(|line| line.strip_prefix(&format!("msgrecon_{name} ")));
    line.map(|value| value.parse().unwrap())
}

/// Keeps the shop's tables from being read.
fn close(shop: &Shop, closed: bool) {
    let (from, to) = if closed { ("shop.db", "away.db") } else { ("away.db", "shop.db") };
    std::fs::rename(shop.path(from), shop.path(to)).unwrap();
}

#[test]
fn heartbeats_begin_and_end_with_the_exit_code_whatever_the_run_came_to() {
    let peer = Peer::new(&[say(200, "")]);
    let top = format!("{FOLDER}[[heartbeats]]\nurl = '{}'\n", peer.url("/ping/recon"));
    let shop = Shop::telling(&top);
    shop.due(FIRST).ended(0);
    close(&shop, true);
    shop.due(SECOND).ended(3);
    close(&shop, false);
    shop.tell("day 2026-03-03\nevent a acked 00:10:00 00:10:01");
    shop.due(SECOND).ended(1);
    shop.tell("day 2026-03-03\nevent b acked 01:10:00 01:10:01");
    std::fs::remove_dir_all(shop.path("mail")).unwrap();
    std::fs::write(shop.path("mail"), "").unwrap();
    shop.due(THIRD).ended(4);
    let sent = peer.sent();
    let paths: Vec<_> = sent.iter().map(|one| one.path.trim_start_matches("/ping/recon")).collect();
    assert_eq!(paths, ["/start", "", "/start", "/3", "/start", "", "/start", "/4"]);
    for pair in sent.chunks(2) {
        assert_eq!(pair[0].query["rid"], pair[1].query["rid"], "one run has one id");
    }
    assert_ne!(sent[0].query["rid"], sent[2].query["rid"]);
    assert!(sent[5].body.contains("differences 1"), "{}", sent[5].body);
    assert!(!sent.iter().any(|one| one.body.contains("orders")), "no name leaves the house");
}

#[test]
fn a_heartbeat_that_nobody_takes_costs_nothing() {
    let peer = Peer::new(&[say(404, "")]);
    let top = format!("[[heartbeats]]\nurl = '{}'\ntimeout = '1s'\n", peer.url("/ping/s3cr3tpath"));
    let told = Shop::telling(&top).due(FIRST).ended(0).says("heartbeat");
    assert!(!told.err().contains("s3cr3tpath"), "{}", told.err());
}

#[test]
fn the_last_success_outlives_every_kind_of_failure() {
    let mut shop = Shop::telling(&format!("{FOLDER}[metrics]\ntextfile = 'm.prom'\n"));
    shop.due(FIRST).ended(0);
    let success = metric(&shop, "last_success_timestamp_seconds").unwrap();
    assert_eq!(metric(&shop, "last_exit_code"), Some(0.0));
    assert_eq!(metric(&shop, "last_completion_timestamp_seconds"), Some(success));
    let failed = |shop: &Shop, what: &str, code: i32| {
        assert_eq!(metric(shop, "last_exit_code"), Some(f64::from(code)), "{what}");
        assert!(metric(shop, "last_completion_timestamp_seconds").unwrap() > success, "{what}");
        let kept = metric(shop, "last_success_timestamp_seconds");
        assert!(kept.is_some_and(|kept| (kept - success).abs() < 1.0), "{what}: {kept:?} for {success}");
    };
    std::thread::sleep(std::time::Duration::from_millis(1_100));
    close(&shop, true);
    shop.due(SECOND).ended(3);
    failed(&shop, "a source that is away", 3);
    close(&shop, false);
    std::fs::remove_dir_all(shop.path("out")).unwrap();
    std::fs::write(shop.path("out"), "").unwrap();
    shop.due(SECOND).ended(4);
    failed(&shop, "a report that cannot be written", 4);
    std::fs::remove_file(shop.path("out")).unwrap();
    shop.top = format!("[hooks]\nbefore = 'false'\n{}", shop.top);
    shop.due(SECOND).ended(3);
    failed(&shop, "a hook that keeps the run back", 3);
    shop.top = shop.top.replace("before = 'false'", "");
    shop.ledger = "sqlite:///proc/no/such/ledger.db".to_owned();
    shop.due(SECOND).ended(3);
    failed(&shop, "a ledger that is away", 3);
    shop.ledger = "sqlite://ledger.db".to_owned();
    undelivered(&shop, &failed);
    assert_eq!(metric(&shop, "notification_failures"), Some(1.0));
}

/// A run that judges, and cannot tell.
fn undelivered(shop: &Shop, failed: &impl Fn(&Shop, &str, i32)) {
    shop.tell("day 2026-03-03\nevent b acked 00:10:00 00:10:01");
    std::fs::remove_dir_all(shop.path("mail")).unwrap();
    std::fs::write(shop.path("mail"), "").unwrap();
    shop.due(SECOND).ended(4);
    failed(shop, "a mail that is not delivered", 4);
}

#[test]
fn a_pushgateway_is_put_what_succeeded_and_posted_what_failed() {
    let peer = Peer::new(&[say(202, "")]);
    let shop = Shop::telling(&format!("[metrics]\npushgateway = '{}'\n", peer.url("")));
    shop.due(FIRST).ended(0);
    close(&shop, true);
    shop.due(SECOND).ended(3);
    let sent: Vec<_> = peer.sent().iter().map(|one| format!("{} {}", one.method, one.path)).collect();
    assert_eq!(sent, ["PUT /metrics/job/msgrecon", "POST /metrics/job/msgrecon"]);
    assert!(peer.sent()[1].body.contains("msgrecon_last_exit_code 3\n"));
}

/// A hook that writes down its name and what it knows.
fn note(name: &str) -> String {
    let script = "echo $0 $(env | grep ^MSGRECON_ | sort | tr \"\\n\" \" \") . >> log; cat >> input";
    format!("{name} = ['/bin/sh', '-c', '{script}', '{name}']\n")
}

#[test]
fn hooks_know_what_the_run_came_to() {
    let hooks: String = ["before", "after", "on_differences", "on_incomplete", "on_error"].map(note).concat();
    let shop = Shop::telling(&format!("[hooks]\n{hooks}"));
    shop.tell(ONE_MISSING);
    shop.due(FIRST).ended(1);
    let log = shop.text("log");
    let lines: Vec<_> = log.lines().collect();
    let names: Vec<_> = lines.iter().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["before", "on_differences", "after"], "{log}");
    assert!(lines[0].starts_with("before MSGRECON_RUN_ID=2"), "{log}");
    let known = [
        "MSGRECON_AS_OF=2026-03-03T00:30:00Z ",
        "MSGRECON_COMPLETE=true ",
        "MSGRECON_DIFFERENCES=1 ",
        "MSGRECON_EXIT_CODE=1 ",
        "MSGRECON_OUTCOME=differences ",
        "MSGRECON_OUTPUT=out ",
        "MSGRECON_VERDICT=fail ",
    ];
    for one in known {
        assert!(lines[1].contains(one) && lines[2].contains(one), "{one} is not in {log}");
    }
    let id = lines[0].split_once('=').unwrap().1.trim_end_matches(" .");
    assert!(lines[2].contains(&format!("MSGRECON_RUN_ID={id} ")), "{log}");
    assert!(shop.text("input").contains("\"MSGRECON_DIFFERENCES\":\"1\""));

    for name in ["log", "ledger.db"] {
        std::fs::remove_file(shop.path(name)).unwrap();
    }
    close(&shop, true);
    shop.due(SECOND).ended(3);
    let log = shop.text("log");
    let names: Vec<_> = log.lines().map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(names, ["before", "on_incomplete", "after"], "{log}");
    assert!(log.contains("MSGRECON_EXIT_CODE=3 ") && log.contains("MSGRECON_COMPLETE=false "), "{log}");
}
