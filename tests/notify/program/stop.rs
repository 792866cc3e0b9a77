//! SIGTERM and SIGINT, as a container or a person ends a job that is at work.

use super::super::peer::{Peer, Reply, say};
use super::{FIRST, ONE_MISSING, SECOND, Shop, child};
use rustix::process::{Pid, Signal, kill_process};
use std::path::Path;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

/// Longer than any step of a run takes, shorter than what the run waits for.
const PATIENCE: Duration = Duration::from_secs(20);

fn start(shop: &Shop) -> Child {
    let mut command = shop.command(&format!("run --output out --as-of {FIRST}"));
    command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap()
}

fn until(what: &str, is_so: impl Fn() -> bool) {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < PATIENCE, "{what} never came");
        std::thread::sleep(Duration::from_millis(5));
    }
}

/// Sends the signal, and gives what the process said when it has ended.
fn end(mut child: Child, signal: Signal) -> (i32, String) {
    kill_process(Pid::from_child(&child), signal).unwrap();
    let begun = Instant::now();
    while child.try_wait().unwrap().is_none() {
        if begun.elapsed() > PATIENCE {
            child.kill().unwrap();
            panic!("it goes on for {PATIENCE:?}");
        }
        std::thread::sleep(Duration::from_millis(5));
    }
    let output = child.wait_with_output().unwrap();
    (child::code(&output), child::err(&output))
}

#[test]
fn a_run_that_tells_ends_at_once_and_the_next_one_tells_the_rest() {
    for (signal, code) in [(Signal::TERM, 143), (Signal::INT, 130)] {
        let peer = Peer::new(&[Reply::Silent, say(200, "")]);
        let top = format!("[[channels]]\nkind = 'webhook'\nurl = '{}'\ntimeout = '90s'\n", peer.url("/in"));
        let shop = Shop::telling(&top);
        shop.tell(ONE_MISSING);
        let child = start(&shop);
        until("the message", || !peer.sent().is_empty());
        let (ended, said) = end(child, signal);
        assert_eq!(ended, code, "{said}");
        assert!(said.contains("ended before its end, as asked for"), "{said}");
        shop.assert_reported();
        assert_eq!(shop.deliveries(), ["channel:webhook|waiting"]);
        shop.due(SECOND).ended(1);
        assert_eq!(shop.deliveries(), ["channel:webhook|sent"]);
        let ids: Vec<_> = peer.sent().iter().map(|sent| sent.headers["webhook-id"].clone()).collect();
        assert!(ids.len() == 2 && ids[0] == ids[1], "{ids:?}");
    }
}

fn is_gone(pid: &str) -> bool {
    let state = std::fs::read_to_string(Path::new("/proc").join(pid.trim()).join("stat"));
    state.is_err() || state.is_ok_and(|text| text.contains(") Z "))
}

#[test]
fn a_hook_ends_with_the_run_that_started_it_and_so_does_what_it_started() {
    let hook = "before = ['/bin/sh', '-c', 'sleep 90 & echo $! > pid; wait']";
    let shop = Shop::telling(&format!("[hooks]\n{hook}\n"));
    shop.tell(ONE_MISSING);
    let child = start(&shop);
    until("the hook", || std::fs::read_to_string(shop.path("pid")).is_ok_and(|text| text.ends_with('\n')));
    assert_eq!(end(child, Signal::TERM).0, 143);
    let pid = shop.text("pid");
    until("the end of the hook", || is_gone(&pid));
    assert!(!shop.path("ledger.db").exists(), "nothing was begun");
    let shop = Shop { top: String::new(), ..shop };
    shop.due(SECOND).ended(1);
    shop.assert_reported();
}
