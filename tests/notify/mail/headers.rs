//! Headers that machines read: no answers from robots, filters, one id for one digest, threads.

use super::sent::Sent;
use super::{default_mail, runs, written};
use msgrecon::config::notify::{Mail, Thread};
use msgrecon::model::time::HOUR;
use msgrecon::model::{Digest, Occasion};

#[test]
fn machines_do_not_answer_and_people_can_sort() {
    let run = runs::missing("order-paid", "points", &runs::ids(3));
    let raw = written(&default_mail(), &run, &runs::alarm(&run));
    let sent = Sent::read(&raw);
    let expected = [
        ("Auto-Submitted", "auto-generated"),
        ("List-Id", "msgrecon <msgrecon.example.test>"),
        ("Precedence", "bulk"),
        ("X-Auto-Response-Suppress", "All"),
        ("X-Msgrecon-Run", "20260303T020000Z-1a2b3c4d"),
        ("X-Msgrecon-Status", "FAIL"),
        ("X-Msgrecon-Flows", "order-paid"),
        ("MIME-Version", "1.0"),
    ];
    for (name, value) in expected {
        assert_eq!(sent.header(name).as_deref(), Some(value), "{name}");
    }
    assert_eq!(sent.message.message_id(), Some("20260303T020000Z-1a2b3c4d-0a1b2c3d@example.test"));
    assert_eq!(sent.message.date().unwrap().to_rfc3339(), "2026-03-02T18:00:00Z");
    assert_eq!(sent.header("References"), None);
}

#[test]
fn the_same_digest_is_the_same_mail() {
    let run = runs::rich();
    let digest = runs::rich_alarm(&run);
    assert_eq!(written(&default_mail(), &run, &digest), written(&default_mail(), &run, &digest));
}

#[test]
fn the_mails_of_a_local_day_hang_together() {
    let run = runs::quiet();
    let mail = Mail { thread: Thread::Daily, ..default_mail() };
    let root = |hours: i64| {
        let digest = runs::report(&run, Occasion::Report);
        let digest = Digest { as_of: digest.as_of.plus(hours * HOUR), ..digest };
        let raw = written(&mail, &run, &digest);
        let sent = Sent::read(&raw);
        assert_eq!(sent.header("References"), sent.header("In-Reply-To"));
        sent.header("References").unwrap()
    };
    assert_eq!(root(0), "<msgrecon-2026-03-03@example.test>");
    assert_eq!((root(21), root(22)), (root(0), "<msgrecon-2026-03-04@example.test>".to_owned()));
}

#[test]
fn a_domain_that_is_not_ascii_gives_ids_that_are() {
    let run = runs::quiet();
    let mail = Mail { from: "msgrecon@bücher.example".to_owned(), ..default_mail() };
    let raw = written(&mail, &run, &runs::report(&run, Occasion::Report));
    let text = String::from_utf8_lossy(&raw);
    assert!(text.contains("-0a1b2c3d@xn--bcher-kva.example>"), "{text:.900}");
}

#[test]
fn a_file_is_named_by_time_and_key() {
    let run = runs::quiet();
    let folder = tempfile::tempdir().unwrap();
    let mail = super::mail(msgrecon::config::notify::Transport::Folder(folder.path().join("a/b")));
    let hostile = Digest { key: "../../k\r\n1/x".to_owned(), ..runs::report(&run, Occasion::Report) };
    for _ in 0..2 {
        super::deliver(&mail, &run, &hostile).unwrap();
    }
    let file = super::only_file(&folder.path().join("a/b"));
    assert_eq!(file.file_name().unwrap().to_str().unwrap(), "20260302T180000Z-k1x.eml");
}
