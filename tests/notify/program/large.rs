//! D48: a report of 120,000 missing messages and mail servers with little room.

use super::super::mail::peer::{Peer, Script};
use super::super::mail::sent::Sent;
use super::rng::Rng;
use super::{FIRST, SECOND, Shop, execute, mail};
use flate2::read::GzDecoder;
use std::fmt::Write as _;
use std::io::Read as _;

const COUNT: usize = 120_000;
const MIB: usize = 1024 * 1024;

/// A day in which everything is missing, under ids that hardly shrink.
fn everything_missing() -> Shop {
    let (shop, mut rng) = (Shop::new(), Rng::new(48));
    let mut story = "day 2026-03-02\n".to_owned();
    for _ in 0..COUNT {
        let (one, other) = (rng.next(), rng.next());
        writeln!(story, "event {one:016x}{other:016x} acked 10:00:00 10:00:01").unwrap();
    }
    shop.tell(&story);
    shop
}

fn peer(data_max: usize) -> Peer {
    Peer::start(Script { data_max, ..Script::default() })
}

/// The mail has arrived, whatever of the list has.
fn assert_told(shop: &Shop, mail: &[u8], attached: bool) {
    let sent = Sent::read(mail);
    assert!(sent.subject().contains("120,000 missing"), "{}", sent.subject());
    let text = sent.text();
    assert!(text.contains("20 of 120,000"), "{text}");
    // The folder holds the report of the run that sends by now, and not of the one that is told of.
    let (folder, whole) = (shop.path("out").display().to_string(), text.replace('\n', " "));
    assert!(!whole.contains(&folder) && whole.contains(&format!("report {}", first_run(shop))), "{text}");
    let named = |body: &str| body.lines().filter(|line| line.contains("missing")).count();
    assert!(named(&text) < 60, "{text}");
    assert!(sent.html().len() < 80 * 1024, "{}", sent.html().len());
    assert_eq!(sent.attachments().len(), usize::from(attached));
}

fn first_run(shop: &Shop) -> String {
    shop.ask("run", "msgrecon_runs ORDER BY as_of, started_at").remove(0)
}

/// Sends what waits to another server, in a run of its own that has hardly anything to judge.
fn next(shop: &mut Shop, peer: &Peer) {
    shop.top = mail(peer, "smtp://");
    let empty = "run --from 2026-03-03T00:00:00Z --until 2026-03-03T01:00:00Z";
    shop.call(&format!("{empty} --as-of {SECOND} --output out")).ended(0);
    assert_eq!(shop.deliveries(), ["mail|sent"]);
}

/// As if it had not been sent.
fn take_back(shop: &Shop) {
    execute(&shop.path("ledger.db"), &["UPDATE msgrecon_deliveries SET state = 'waiting'".to_owned()]);
}

#[test]
fn d48_a_mail_waits_for_a_server_that_takes_it_and_has_the_list_where_there_is_room() {
    let mut shop = everything_missing();
    let closed = peer(1_000);
    shop.top = mail(&closed, "smtp://");
    shop.due(FIRST).ended(4).says("not delivered: mail").says("552");
    let heard = closed.heard();
    assert_eq!((heard.mails.len(), heard.refused_data), (0, 2), "with the attachment, and once without");
    shop.assert_reported();
    let csv = std::fs::read(shop.path("out/differences.csv")).unwrap();
    assert!(csv.len() > 8 * MIB, "{}", csv.len());
    assert_eq!(shop.deliveries(), ["mail|waiting"]);
    assert_eq!(shop.ask("state, exit_code", "msgrecon_runs"), ["finished|1"]);

    let narrow = peer(MIB);
    next(&mut shop, &narrow);
    let heard = narrow.heard();
    assert_eq!((heard.mails.len(), heard.refused_data, heard.sessions), (1, 1, 1));
    assert_told(&shop, &heard.mails[0].data, false);
    assert!(Sent::read(&heard.mails[0].data).text().contains("is not attached"));

    take_back(&shop);
    let roomy = peer(10 * MIB);
    next(&mut shop, &roomy);
    let heard = roomy.heard();
    assert_eq!((heard.mails.len(), heard.refused_data), (1, 0));
    assert!(heard.mails[0].data.len() > MIB, "or the other server would not have refused it");
    assert_told(&shop, &heard.mails[0].data, true);
    let (name, packed) = Sent::read(&heard.mails[0].data).attachments().remove(0);
    let mut rows = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut rows).unwrap();
    assert_eq!((name.as_str(), rows.lines().count()), ("differences.csv.gz", COUNT + 1));
}
