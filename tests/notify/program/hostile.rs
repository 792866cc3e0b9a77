//! D47: what tables and configuration hold goes through the whole program, and stays text wherever it arrives.

use super::super::mail::peer::{Peer, Script};
use super::super::mail::sent::Sent;
use super::tags::tags;
use super::{DAY, Shop, child, mail};
use serde_json::Value;
use std::collections::BTreeSet;
use std::path::PathBuf;

const FLOW: &str = "orders\r\nBcc: x@example.test";
/// Of as many words, since a command in the mail keeps each on its line.
const PLAIN: &str = "orders two";
const CONSUMER: &str = "\"><script>alert(1)</script>";
const IDS: [&str; 3] = ["<img src=x onerror=alert(1)>", "../../tmp/x", "\u{1b}[31mred"];

/// Everything that came of one run.
struct Seen {
    shop: Shop,
    peer: Peer,
    table: String,
}

/// The same run with other names and ids.
fn run(flow: &str, consumer: &str, ids: &[&str], language: &str) -> Seen {
    let peer = Peer::start(Script::default());
    let to = "cc = ['Second One <second@example.com>']\nreply_to = 'team@example.com'\n";
    let mut shop = Shop::telling(&format!("{}{to}language = '{language}'\n", mail(&peer, "smtp://")));
    (shop.flow, shop.consumer) = (flow.to_owned(), consumer.to_owned());
    let event = |id: &&str| format!("event {} acked 10:00:00 10:00:01", serde_json::to_string(id).unwrap());
    shop.tell(&format!("day 2026-03-02\n{}", ids.iter().map(event).collect::<Vec<_>>().join("\n")));
    let before = files(&shop);
    let table = shop.call(&format!("run {DAY} --output out")).ended(1).out();
    let new: Vec<_> = files(&shop).difference(&before).cloned().collect();
    let mut wanted = ["differences.csv", "report.html", "report.json", "windows.csv"]
        .map(|name| PathBuf::from("a/b/out").join(name))
        .to_vec();
    wanted.extend(["a/b/ledger.db", "a/b/msgrecon.toml"].map(PathBuf::from));
    assert_eq!(new, wanted.into_iter().collect::<BTreeSet<_>>().into_iter().collect::<Vec<_>>());
    Seen { shop, peer, table }
}

/// Every file in the folder around the one in which the program runs.
fn files(shop: &Shop) -> BTreeSet<PathBuf> {
    let outside = shop.outside.path();
    child::files(outside).into_keys().map(|path| path.strip_prefix(outside).unwrap().to_owned()).collect()
}

#[test]
fn d47_a_mail_goes_to_whom_it_should_with_one_subject_and_no_markup_of_others() {
    for language in ["en", "zh-CN"] {
        let (seen, tame) =
            (run(FLOW, CONSUMER, &IDS, language), run(PLAIN, "points", &["a", "b", "c"], language));
        let (heard, tame) = (seen.peer.heard(), tame.peer.heard());
        assert_eq!((heard.sessions, heard.mails.len()), (1, 1));
        assert_eq!(heard.mails[0].from, "msgrecon@example.com");
        assert_eq!(heard.mails[0].to, ["oncall@example.com", "second@example.com"]);
        let (sent, tame) = (Sent::read(&heard.mails[0].data), Sent::read(&tame.mails[0].data));
        assert!(sent.message.bcc().is_none());
        assert_eq!(sent.header_names(), tame.header_names(), "no header more than with plain names");
        assert_eq!(sent.header("Reply-To").as_deref(), Some("team@example.com"));
        assert!(!sent.subject().chars().any(char::is_control), "{:?}", sent.subject());
        assert!(sent.subject().contains("orders\\u{d}\\u{a}Bcc: x@example.test"), "{}", sent.subject());
        assert_text(&sent.html(), &tame.html());
        for body in [sent.html(), sent.text()] {
            assert!(!body.chars().any(|c| c.is_control() && !"\r\n\t".contains(c)), "{body:?}");
        }
        assert!(sent.text().contains("../../tmp/x") && sent.text().contains("\\u{1b}[31mred"));
    }
}

/// Names and ids are in the page, and its elements are those of a page with plain ones.
fn assert_text(html: &str, tame: &str) {
    let (found, wanted) = (tags(html), tags(tame));
    assert!(found.len() > 50, "{} elements: the search is broken", found.len());
    let differ = found.iter().zip(&wanted).find(|(one, other)| one != other);
    assert!(found == wanted, "{} elements for {}: {differ:?}", found.len(), wanted.len());
    let html = html.to_lowercase();
    assert!(html.contains("&lt;img src=x onerror=alert(1)&gt;"), "the id is shown");
    assert!(html.contains("&lt;script&gt;alert(1)&lt;&#x2f;script&gt;"), "the consumer is shown");
    assert!(!html.contains("<script>alert") && !html.contains("<img src=x"));
}

#[test]
fn d47_a_report_is_text_in_every_format() {
    let (seen, tame) = (run(FLOW, CONSUMER, &IDS, "en"), run(PLAIN, "points", &["a", "b", "c"], "en"));
    assert_text(&seen.shop.text("out/report.html"), &tame.shop.text("out/report.html"));
    let printed = seen.shop.call("report --format html").ended(0).out();
    assert_text(&printed, &tame.shop.text("out/report.html"));
    let shown = seen.table + &seen.shop.call("report").ended(0).out() + &seen.shop.call("status").out();
    assert!(!shown.chars().any(|c| c.is_control() && c != '\n'), "{shown:?}");
    assert!(shown.contains("\\u{1b}[31mred") && shown.contains("\\u{d}\\u{a}Bcc"), "{shown}");

    let report: Value = serde_json::from_str(&seen.shop.text("out/report.json")).unwrap();
    let ids: BTreeSet<_> =
        report["differences"].as_array().unwrap().iter().map(|one| one["id"].as_str().unwrap()).collect();
    assert_eq!(ids, IDS.into_iter().collect(), "JSON holds them exactly");
    assert_eq!(report["flows"][0]["name"], FLOW);
    let mut rows = csv::Reader::from_path(seen.shop.path("out/differences.csv")).unwrap();
    let rows: Vec<_> = rows.records().map(Result::unwrap).collect();
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert!(row.iter().all(|cell| !cell.starts_with(['=', '+', '-', '@', '\t', '\r'])), "{row:?}");
    }
}
