//! D48: a report of 120,000 missing messages and mail servers with little room.

use super::super::mail::peer::{Peer, Script};
use super::super::mail::sent::Sent;
use super::rng::Rng;
use super::{FIRST, SECOND, Shop, mail};
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
    // Lines are folded where they are long.
    let folder = shop.path("out").display().to_string();
    assert!(text.replace('\n', "").contains(&folder), "no {folder} in {text}");
    let named = |body: &str| body.lines().filter(|line| line.contains("missing")).count();
    assert!(named(&text) < 60, "{text}");
    assert!(sent.html().len() < 80 * 1024, "{}", sent.html().len());
    assert_eq!(sent.attachments().len(), usize::from(attached));
}

#[test]
fn d48_a_mail_arrives_whatever_room_its_server_has_or_waits_for_the_next_run() {
    let mut shop = everything_missing();
    let roomy = peer(10 * MIB);
    shop.top = mail(&roomy, "smtp://");
    shop.due(FIRST).ended(1);
    shop.assert_reported();
    let csv = std::fs::read(shop.path("out/differences.csv")).unwrap();
    assert!(csv.len() > 8 * MIB, "{}", csv.len());
    let heard = roomy.heard();
    assert_eq!((heard.mails.len(), heard.refused_data), (1, 0));
    assert!(heard.mails[0].data.len() > MIB, "or the next server would not refuse it");
    assert_told(&shop, &heard.mails[0].data, true);
    let (name, packed) = Sent::read(&heard.mails[0].data).attachments().remove(0);
    let mut rows = String::new();
    GzDecoder::new(&packed[..]).read_to_string(&mut rows).unwrap();
    assert_eq!((name.as_str(), rows.lines().count()), ("differences.csv.gz", COUNT + 1));

    let narrow = peer(MIB);
    (shop.top, shop.ledger) = (mail(&narrow, "smtp://"), "sqlite://second.db".to_owned());
    shop.due(FIRST).ended(1);
    let heard = narrow.heard();
    assert_eq!((heard.mails.len(), heard.refused_data, heard.sessions), (1, 1, 1));
    assert_told(&shop, &heard.mails[0].data, false);
    assert!(Sent::read(&heard.mails[0].data).text().contains("is not attached"));
    refused_altogether(shop);
}

fn refused_altogether(mut shop: Shop) {
    std::fs::remove_dir_all(shop.path("out")).unwrap();
    std::fs::remove_file(shop.path("ledger.db")).unwrap();
    let closed = peer(1_000);
    (shop.top, shop.ledger) = (mail(&closed, "smtp://"), "sqlite://ledger.db".to_owned());
    shop.due(FIRST).ended(4).says("not delivered: mail").says("552");
    let heard = closed.heard();
    assert_eq!((heard.mails.len(), heard.refused_data), (0, 2), "with the attachment, and once without");
    shop.assert_reported();
    assert_eq!(shop.deliveries(), ["mail|waiting"]);
    assert_eq!(shop.ask("state, exit_code", "msgrecon_runs"), ["finished|1"]);

    let open = peer(10 * MIB);
    shop.top = mail(&open, "smtp://");
    shop.due(SECOND).ended(1);
    let heard = open.heard();
    assert_eq!(heard.mails.len(), 1);
    assert_told(&shop, &heard.mails[0].data, true);
    assert_eq!(shop.deliveries(), ["mail|sent"]);
}
